// SPDX-License-Identifier: Apache-2.0
// Numbers of fields and values are those of the .proto files in https://github.com/google/perfetto, folder protos.
#include "export/perfetto.hpp"

#include <bit>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "export/program.hpp"
#include "export/proto_message.hpp"
#include "export/sink_buffer.hpp"
#include "export/texts.hpp"
#include "export/timeline.hpp"

namespace meridian {
namespace {

namespace field {
constexpr std::uint32_t kPacket = 1;                                                       // Trace
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12;  // TracePacket
constexpr std::uint32_t kSequenceFlags = 13, kTrackDescriptor = 60;                        // TracePacket
constexpr std::uint32_t kCategoryIids = 3, kAnnotations = 4, kType = 9, kNameIid = 10;     // TrackEvent
constexpr std::uint32_t kTrackUuid = 11, kFlows = 47, kTerminatingFlows = 48;              // TrackEvent
constexpr std::uint32_t kEventName = 23;                                                   // TrackEvent
constexpr std::uint32_t kAnnotationText = 10;                                              // DebugAnnotation: its name
constexpr std::uint32_t kCounterValue = 44;                                                // TrackEvent, a double
constexpr std::uint32_t kCategories = 1, kEventNames = 2, kAnnotationNames = 3;            // InternedData
constexpr std::uint32_t kIid = 1, kName = 2;                                               // its entries
constexpr std::uint32_t kAnnotationName = 1, kUint = 3, kInt = 4, kDouble = 5, kText = 6;  // DebugAnnotation
constexpr std::uint32_t kUuid = 1, kTrackName = 2, kProcess = 3, kParent = 5;              // TrackDescriptor
constexpr std::uint32_t kCounterTrack = 8;                                                 // TrackDescriptor
constexpr std::uint32_t kPid = 1, kProcessName = 6;                                        // ProcessDescriptor
}  // namespace field

enum TrackEventType : std::uint64_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
constexpr std::uint64_t kOnlySequence = 1;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // sequence flags

/// Annotations of calls; the number is the position, from 1 on.
constexpr std::string_view kAnnotationNames[] = {"sequence",   "communicator",   "peer",  "tag",
                                                 "bytes_sent", "bytes_received", "calls", "function",
                                                 "file",       "line",           "flags"};
enum Annotation : std::uint64_t {
  kSequenceNote = 1,
  kCommunicatorNote,
  kPeerNote,
  kTagNote,
  kSentNote,
  kReceivedNote,
  kCallsNote,
  kFunctionNote,
  kFileNote,
  kLineNote,
  kFlagsNote,
};
static_assert(std::size(kAnnotationNames) == kFlagsNote);

class PerfettoPackets final : public TimelineVisitor {
 public:
  PerfettoPackets(ExportSource& source, ExportSink& sink)
      : source_{source}, names_{source.trace.definitions()}, out_{sink} {}

  Status begin() {
    ProtoMessage interned, entry;
    const auto intern = [&](std::uint32_t kind, std::uint64_t iid, std::string_view name) {
      entry.clear();
      interned.message(kind, entry.number(field::kIid, iid).text(field::kName, valid_utf8(name)));
    };
    for (std::size_t call = 0; call < names_.calls.size(); ++call) {
      const MergedCall& known = names_.calls[call];
      intern(field::kEventNames, call + 1, known.name.empty() ? "unknown call" : std::string_view{known.name});
      intern(field::kCategories, call + 1, known.group);
    }
    for (std::size_t i = 0; i < std::size(kAnnotationNames); ++i)
      intern(field::kAnnotationNames, i + 1, kAnnotationNames[i]);
    for (const MergedUserEvent& event : names_.user)
      for (const UserField& value : user_fields(event.fields))
        if (const auto [at, is_new] = value_notes_.emplace(value.name, kFlagsNote + 1 + value_notes_.size()); is_new)
          intern(field::kAnnotationNames, at->second, at->first);
    ProtoMessage packet;
    packet.number(field::kSequence, kOnlySequence).number(field::kSequenceFlags, kStateCleared);
    write(packet.message(field::kInterned, interned));
    for (const MergedRank& rank : names_.ranks) {
      const std::string name = valid_utf8("rank " + std::to_string(rank.rank) + " on " + rank.host);
      ProtoMessage process;  // pid 0 is special
      process.integer(field::kPid, std::int64_t{rank.rank} + 1).text(field::kProcessName, name);
      track(rank_uuid(rank.rank), name, 0, &process);
    }
    for (std::uint32_t i = 0; i < names_.locations.size(); ++i) {
      const MergedLocation& location = names_.locations[i];
      track(thread_uuid(i), "thread " + std::to_string(location.thread), rank_uuid(location.rank), nullptr);
    }
    return out_.pass_on();
  }

  Status enter(const TimelineItem& item) override {
    const MergedEvent& event = item.event;
    if (item.is_counter) {
      count(item);
      return out_.pass_on();
    }
    start_event(event, item.kind == TimelineKind::moment ? kInstant : kSliceBegin);
    event_.number(field::kNameIid, std::uint64_t{event.call} + 1)
        .number(field::kCategoryIids, std::uint64_t{event.call} + 1);
    note(kSequenceNote, event.sequence);
    if (item.kind == TimelineKind::call) details(event);
    if (event.site != 0 && event.site < names_.sites.size()) {
      const MergedSite& site = names_.sites[event.site];
      if (!site.function.empty()) note(kFunctionNote, site.function);
      if (!site.file.empty()) note(kFileNote, site.file);
      if (site.line != 0) note(kLineNote, site.line);
    }
    for (const NamedValue& value : item.values) note(value);
    for (const EventLink& link : item.links)
      if (link.kind == LinkKind::sent) event_.fixed64(field::kFlows, link.number + 1);
    if (item.kind == TimelineKind::moment) end_flows(item);
    finish_event(event.enter_ns);
    return out_.pass_on();
  }

  Status leave(const TimelineItem& item, std::int64_t time_ns) override {
    if (item.kind == TimelineKind::moment) return {};
    start_event(item.event, kSliceEnd);
    end_flows(item);
    finish_event(time_ns);
    return out_.pass_on();
  }

  /// Samples and intervals without a processor are in a track of their own below that of the thread.
  Status program() {
    MERIDIAN_TRY_DO(walk_samples(source_, [&](const SampleItem& item) {
      start_program_event(item.location, kInstant, item.frames->empty() ? "unknown" : item.frames->back());
      annotate("place", *item.place);
      annotate("path", path_text(*item.frames));
      finish_event(item.time_ns);
      return out_.pass_on();
    }));
    return walk_intervals(source_, [&](const MergedInterval& row) {
      const auto location = static_cast<std::uint32_t>(row.location);
      start_program_event(location, kSliceBegin, row.is_ready ? "ready" : "slept");
      finish_event(row.begin_ns());
      event_.clear();
      event_.number(field::kType, kSliceEnd).number(field::kTrackUuid, program_uuid(location));
      finish_event(row.end_ns);
      return out_.pass_on();
    });
  }

  Status end() { return out_.flush(); }

 private:
  static std::uint64_t program_uuid(std::uint32_t location) { return std::uint64_t{1} << 42 | location; }
  void start_program_event(std::uint32_t location, TrackEventType type, std::string_view name) {
    if (programs_.insert(location).second)
      track(program_uuid(location), "functions, processor", thread_uuid(location), nullptr);
    event_.clear();
    event_.number(field::kType, type)
        .number(field::kTrackUuid, program_uuid(location))
        .text(field::kEventName, valid_utf8(name));
  }
  void annotate(std::string_view name, const std::string& value) {
    note_.clear();
    event_.message(field::kAnnotations, note_.text(field::kAnnotationText, name).text(field::kText, valid_utf8(value)));
  }
  static std::uint64_t rank_uuid(std::int32_t rank) {
    return std::uint64_t{1} << 40 | static_cast<std::uint32_t>(rank);
  }
  static std::uint64_t thread_uuid(std::uint32_t location) { return std::uint64_t{1} << 41 | location; }
  static std::uint64_t counter_uuid(const MergedEvent& event) {
    return std::uint64_t{1} << 62 | std::uint64_t{event.call} << 32 | event.location;
  }

  void write(const ProtoMessage& packet) {
    whole_.clear();
    out_ << whole_.message(field::kPacket, packet).bytes();
  }
  void track(std::uint64_t uuid, std::string_view name, std::uint64_t parent, const ProtoMessage* process,
             bool is_counter = false) {
    ProtoMessage descriptor, packet;
    descriptor.number(field::kUuid, uuid).text(field::kTrackName, name);
    if (parent != 0) descriptor.number(field::kParent, parent);
    if (process != nullptr) descriptor.message(field::kProcess, *process);
    if (is_counter) descriptor.message(field::kCounterTrack, ProtoMessage{});
    write(packet.number(field::kSequence, kOnlySequence).message(field::kTrackDescriptor, descriptor));
  }
  /// The track of a counter of a thread is described before its first value.
  void count(const TimelineItem& item) {
    const MergedEvent& event = item.event;
    if (counters_.insert(counter_uuid(event)).second)
      track(counter_uuid(event), valid_utf8(names_.call_name(event.call)), thread_uuid(event.location), nullptr, true);
    event_.clear();
    event_.number(field::kType, kCounter).number(field::kTrackUuid, counter_uuid(event));
    event_.fixed64(field::kCounterValue, std::bit_cast<std::uint64_t>(item.number()));
    finish_event(event.enter_ns);
  }
  void start_event(const MergedEvent& event, TrackEventType type) {
    event_.clear();
    event_.number(field::kType, type).number(field::kTrackUuid, thread_uuid(event.location));
  }
  void end_flows(const TimelineItem& item) {
    for (const EventLink& link : item.links)
      if (link.kind == LinkKind::received) event_.fixed64(field::kTerminatingFlows, link.number + 1);
  }
  void finish_event(std::int64_t time_ns) {
    packet_.clear();
    packet_.integer(field::kTimestamp, time_ns).number(field::kSequence, kOnlySequence);
    packet_.number(field::kSequenceFlags, kNeedsState).message(field::kTrackEvent, event_);
    write(packet_);
  }
  void note(Annotation name, std::uint64_t value) {
    note_.clear();
    event_.message(field::kAnnotations, note_.number(field::kAnnotationName, name).number(field::kUint, value));
  }
  void note(Annotation name, std::int32_t value) {
    note_.clear();
    event_.message(field::kAnnotations, note_.number(field::kAnnotationName, name).integer(field::kInt, value));
  }
  void note(Annotation name, std::uint32_t value) { note(name, std::uint64_t{value}); }
  void note(Annotation name, const std::string& value) {
    note_.clear();
    event_.message(field::kAnnotations,
                   note_.number(field::kAnnotationName, name).text(field::kText, valid_utf8(value)));
  }
  void note(const NamedValue& value) {
    note_.clear();
    note_.number(field::kAnnotationName, value_notes_.at(value.field->name));
    if (const auto* const number = std::get_if<std::int64_t>(&value.value)) note_.integer(field::kInt, *number);
    if (const auto* const number = std::get_if<std::uint64_t>(&value.value)) note_.number(field::kUint, *number);
    if (const auto* const real = std::get_if<double>(&value.value))
      note_.fixed64(field::kDouble, std::bit_cast<std::uint64_t>(*real));
    if (const auto* const text = std::get_if<std::string>(&value.value)) note_.text(field::kText, valid_utf8(*text));
    event_.message(field::kAnnotations, note_);
  }
  void details(const MergedEvent& event) {
    const auto comm = static_cast<std::size_t>(event.comm);
    if (event.comm >= 0 && comm < names_.communicators.size()) note(kCommunicatorNote, names_.communicators[comm].name);
    if (event.peer >= 0) note(kPeerNote, event.peer);
    if (event.tag >= 0) note(kTagNote, event.tag);
    if (event.bytes_sent != 0) note(kSentNote, event.bytes_sent);
    if (event.bytes_received != 0) note(kReceivedNote, event.bytes_received);
    if (event.calls != 1) note(kCallsNote, event.calls);
    if (event.flags != 0) note(kFlagsNote, event.flags);
  }

  ExportSource& source_;
  const MergedDefinitions& names_;
  SinkBuffer out_;
  std::set<std::uint32_t> programs_;                  // locations with a track of samples and intervals
  std::map<std::string, std::uint64_t> value_notes_;  // [field of a user event]: its number
  std::set<std::uint64_t> counters_;                  // tracks
  ProtoMessage event_, packet_, whole_, note_;
};

}  // namespace

Status export_perfetto(ExportSource& source, ExportSink& sink) {
  MERIDIAN_TRY(const bool is_wanted, sink.begin("trace.perfetto-trace"));
  if (!is_wanted) return {};
  PerfettoPackets packets{source, sink};
  MERIDIAN_TRY_DO(packets.begin());
  MERIDIAN_TRY_DO(walk_timeline(source, packets));
  MERIDIAN_TRY_DO(packets.program());
  return packets.end();
}

}  // namespace meridian
