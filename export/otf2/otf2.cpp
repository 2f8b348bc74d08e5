// SPDX-License-Identifier: Apache-2.0
#include "export/otf2.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/otf2/archive.hpp"
#include "export/otf2/definitions.hpp"
#include "export/texts.hpp"
#include "export/timeline.hpp"

namespace meridian::otf2 {
namespace {

/// Whether the call returns when its messages are sent: others leave a request behind.
bool sends_at_once(std::string_view call) {
  return !call.starts_with("MPI_I") && !call.starts_with("MPI_Start") && !call.starts_with("MPI_Pready");
}

constexpr std::size_t kMostTexts = 65536;  ///< of events that are kept in memory until the definitions are written

class Otf2Events final : public TimelineVisitor {
 public:
  Otf2Events(ExportSource& source, const Archive& archive, const Numbers& numbers)
      : source_{source},
        names_{source.trace.definitions()},
        archive_{archive},
        numbers_{numbers},
        values_{names_},
        region_of_(names_.calls.size() + 1, OTF2_UNDEFINED_REGION),
        attributes_{OTF2_AttributeList_New(), &OTF2_AttributeList_Delete} {}

  Status enter(const TimelineItem& item) override {
    const MergedEvent& event = item.event;
    OTF2_EvtWriter* const writer = archive_.events(event.location);
    if (item.is_counter) return count(writer, item);
    MERIDIAN_TRY_DO(describe(event));
    for (const NamedValue& value : item.values) MERIDIAN_TRY_DO(describe(value));
    MERIDIAN_TRY_DO(did(OTF2_EvtWriter_Enter(writer, attributes_.get(), time(event.enter_ns), region(event.call))));
    for (const EventLink& link : item.links) {
      if (link.kind == LinkKind::sent) MERIDIAN_TRY_DO(send(writer, event, link.number));
      if (link.kind == LinkKind::posted) MERIDIAN_TRY_DO(post(writer, event, link.number));
      if (link.kind == LinkKind::entered) MERIDIAN_TRY_DO(start(writer, event, link.number));
    }
    return {};
  }

  Status leave(const TimelineItem& item, std::int64_t time_ns) override {
    const MergedEvent& event = item.event;
    if (item.is_counter) return {};
    OTF2_EvtWriter* const writer = archive_.events(event.location);
    for (const EventLink& link : item.links) {
      if (link.kind == LinkKind::received) MERIDIAN_TRY_DO(receive(writer, event, link.number, time(time_ns)));
      if (link.kind == LinkKind::left) MERIDIAN_TRY_DO(complete(writer, event, link.number, time(time_ns)));
    }
    return did(OTF2_EvtWriter_Leave(writer, nullptr, time(time_ns), region(event.call)));
  }

  /// Calls, in the order of their regions.
  const std::vector<std::uint32_t>& regions() const { return regions_; }
  std::int64_t latest_ns() const { return latest_ns_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  static Status did(OTF2_ErrorCode code) { return check(code, "write events of"); }
  std::uint64_t time(std::int64_t ns) {
    latest_ns_ = std::max(latest_ns_, ns);
    return ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
  }
  OTF2_RegionRef region(std::uint32_t call) {
    OTF2_RegionRef& region = region_of_[std::min(std::size_t{call}, names_.calls.size())];
    if (region == OTF2_UNDEFINED_REGION) {
      region = static_cast<OTF2_RegionRef>(regions_.size());
      regions_.push_back(call);
    }
    return region;
  }
  static std::uint64_t request_of_message(std::uint64_t number) { return 2 * number; }
  static std::uint64_t request_of_part(std::uint64_t number) { return 2 * number + 1; }

  /// Fills attributes_, which the next event takes over.
  Status describe(const MergedEvent& event) {
    if (event.site != 0 && event.site < names_.sites.size()) {
      const MergedSite& site = names_.sites[event.site];
      if (!site.file.empty())
        MERIDIAN_TRY_DO(did(OTF2_AttributeList_AddSourceCodeLocationRef(attributes_.get(), kCallSite, event.site)));
      if (!site.function.empty())
        MERIDIAN_TRY_DO(did(OTF2_AttributeList_AddStringRef(attributes_.get(), kCallingFunction, event.site)));
    }
    return event.calls == 1 ? Status{} : did(OTF2_AttributeList_AddUint64(attributes_.get(), kCalls, event.calls));
  }

  Status describe(const NamedValue& value) {
    OTF2_AttributeList* const list = attributes_.get();
    const OTF2_AttributeRef number = values_.attribute(*value.field);
    if (const auto* const whole = std::get_if<std::int64_t>(&value.value))
      return did(OTF2_AttributeList_AddInt64(list, number, *whole));
    if (const auto* const whole = std::get_if<std::uint64_t>(&value.value))
      return did(OTF2_AttributeList_AddUint64(list, number, *whole));
    if (const auto* const real = std::get_if<double>(&value.value))
      return did(OTF2_AttributeList_AddDouble(list, number, *real));
    const std::string text = valid_utf8(std::get<std::string>(value.value));
    const auto known = text_numbers_.find(text);
    if (known != text_numbers_.end()) return did(OTF2_AttributeList_AddStringRef(list, number, known->second));
    if (texts_.size() == kMostTexts) {
      source_.left_out.add("texts of user events: an archive holds 65536 different ones");
      return {};
    }
    const OTF2_StringRef made = kFirstEventText + static_cast<OTF2_StringRef>(texts_.size());
    text_numbers_.emplace(text, made);
    texts_.push_back(text);
    return did(OTF2_AttributeList_AddStringRef(list, number, made));
  }

  Status count(OTF2_EvtWriter* writer, const TimelineItem& item) {
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    OTF2_MetricValue value;
    value.floating_point = item.number();
    return did(OTF2_EvtWriter_Metric(writer, nullptr, time(item.event.enter_ns), values_.metric(item.event.call), 1,
                                     &type, &value));
  }

  Status send(OTF2_EvtWriter* writer, const MergedEvent& event, std::uint64_t number) {
    MERIDIAN_TRY(const MergedMessage message, source_.trace.message(number, event));
    MERIDIAN_TRY(const MergedEvent completion, source_.trace.event(message.completion));
    const std::uint32_t receiver = numbers_.rank_in(message.comm, completion.rank, event.rank);
    const auto tag = static_cast<std::uint32_t>(message.tag);
    const OTF2_CommRef comm = numbers_.communicator(message.comm);
    const std::uint64_t at = time(event.enter_ns);
    if (sends_at_once(names_.call_name(event.call)))
      return did(OTF2_EvtWriter_MpiSend(writer, nullptr, at, receiver, comm, tag, message.bytes));
    source_.left_out.add("completions of send requests: a merged trace does not have them");
    return did(
        OTF2_EvtWriter_MpiIsend(writer, nullptr, at, receiver, comm, tag, message.bytes, request_of_message(number)));
  }

  Status post(OTF2_EvtWriter* writer, const MergedEvent& event, std::uint64_t number) {
    MERIDIAN_TRY(const MessageEnds ends, source_.trace.message_ends(number));
    if (ends.post == ends.completion) return {};
    return did(OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, time(event.enter_ns), request_of_message(number)));
  }

  Status receive(OTF2_EvtWriter* writer, const MergedEvent& event, std::uint64_t number, std::uint64_t at) {
    MERIDIAN_TRY(const MessageEnds ends, source_.trace.message_ends(number));
    MERIDIAN_TRY(const MergedEvent send, source_.trace.event(ends.send));
    MERIDIAN_TRY(const MergedMessage message, source_.trace.message(number, send));
    const std::uint32_t sender = numbers_.rank_in(message.comm, send.rank, event.rank);
    const auto tag = static_cast<std::uint32_t>(message.tag);
    const OTF2_CommRef comm = numbers_.communicator(message.comm);
    if (message.post == message.completion)
      return did(OTF2_EvtWriter_MpiRecv(writer, nullptr, at, sender, comm, tag, message.bytes));
    return did(
        OTF2_EvtWriter_MpiIrecv(writer, nullptr, at, sender, comm, tag, message.bytes, request_of_message(number)));
  }

  Status start(OTF2_EvtWriter* writer, const MergedEvent& event, std::uint64_t number) {
    MERIDIAN_TRY(const MergedPart part, source_.trace.part(number));
    if (collective_kind(names_.call_name(event.call)) == nullptr) {
      source_.left_out.add("participants of neighbourhood and persistent collectives: they are calls only");
      return {};
    }
    if (part.start == part.completion)
      return did(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time(event.enter_ns)));
    return did(
        OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, time(event.enter_ns), request_of_part(number)));
  }

  Status complete(OTF2_EvtWriter* writer, const MergedEvent& event, std::uint64_t number, std::uint64_t at) {
    MERIDIAN_TRY(const MergedPart part, source_.trace.part(number));
    const bool is_blocking = part.start == part.completion;
    MERIDIAN_TRY(const MergedEvent start, is_blocking ? Result{event} : source_.trace.event(part.start));
    const CollectiveKind* const kind = collective_kind(names_.call_name(start.call));
    if (kind == nullptr) return {};
    const std::uint32_t root =
        part.root < 0 ? std::uint32_t{OTF2_COLLECTIVE_ROOT_NONE} : static_cast<std::uint32_t>(part.root);
    const OTF2_CommRef comm = numbers_.communicator(part.comm);
    if (is_blocking)
      return did(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, at, kind->operation, comm, root, start.bytes_sent,
                                                 start.bytes_received));
    return did(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, nullptr, at, kind->operation, comm, root,
                                                            start.bytes_sent, start.bytes_received,
                                                            request_of_part(number)));
  }

  ExportSource& source_;
  const MergedDefinitions& names_;
  const Archive& archive_;
  const Numbers& numbers_;
  const ValueNumbers values_;
  std::vector<std::string> texts_;  // of events
  std::unordered_map<std::string, OTF2_StringRef> text_numbers_;
  std::vector<OTF2_RegionRef> region_of_;  // [call], then one for all that the file does not define
  std::vector<std::uint32_t> regions_;
  std::int64_t latest_ns_ = 0;
  std::unique_ptr<OTF2_AttributeList, OTF2_ErrorCode (*)(OTF2_AttributeList*)> attributes_;
};

/// Numbers has a row for each rank up to the last one.
Status check_ranks(const MergedTrace& trace) {
  const MergedDefinitions& names = trace.definitions();
  constexpr std::int32_t kMostRank = 1 << 26;
  const auto is_rank = [](std::int32_t rank) { return rank >= 0 && rank <= kMostRank; };
  const auto is_member = [](std::int32_t rank) { return rank <= kMostRank; };
  const bool is_valid = std::ranges::all_of(names.ranks, is_rank, &MergedRank::rank) &&
                        std::ranges::all_of(names.locations, is_rank, &MergedLocation::rank) &&
                        std::ranges::all_of(names.groups, [&](const std::vector<std::int32_t>& group) {
                          return std::ranges::all_of(group, is_member);
                        });
  if (is_valid) return {};
  return Error{Errc::damaged, "merged file '" + trace.path().string() + "' is damaged: it has invalid ranks",
               "merge the rank files again"};
}

Status write_archive(ExportSource& source, ExportSink& sink) {
  MERIDIAN_TRY(const std::filesystem::path folder, sink.begin_folder({"traces", "traces.def", "traces.otf2"}));
  const MergedDefinitions& names = source.trace.definitions();
  MERIDIAN_TRY_DO(check_ranks(source.trace));
  const Numbers numbers{names};
  MERIDIAN_TRY(Archive archive, Archive::create(folder, numbers.locations()));
  Otf2Events events{source, archive, numbers};
  MERIDIAN_TRY_DO(walk_timeline(source, events));
  MERIDIAN_TRY(const auto counts, archive.close_events());
  MERIDIAN_TRY(OTF2_GlobalDefWriter* const writer, archive.definitions());
  MERIDIAN_TRY_DO(
      write_definitions(writer, names, numbers, counts, events.regions(), events.latest_ns() + 1, events.texts()));
  return archive.close();
}

}  // namespace
}  // namespace meridian::otf2

namespace meridian {

Status export_otf2(ExportSource& source, ExportSink& sink) { return otf2::write_archive(source, sink); }

}  // namespace meridian
