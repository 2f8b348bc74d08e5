// SPDX-License-Identifier: Apache-2.0
#include "export/chrome.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "export/program.hpp"
#include "export/sink_buffer.hpp"
#include "export/texts.hpp"
#include "export/timeline.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMicrosecondDigits = 3;
constexpr std::uint32_t kProgramRows =
    1'000'000;  ///< number of the first row of what a program computed: no rank has as many threads

class ChromeEvents final : public TimelineVisitor {
 public:
  ChromeEvents(ExportSource& source, ExportSink& sink)
      : source_{source}, names_{source.trace.definitions()}, out_{sink} {
    for (const MergedCall& call : names_.calls) {
      call_names_.push_back(json_string(call.name.empty() ? "unknown call" : call.name));
      call_groups_.push_back(json_string(call.group));
    }
    for (const MergedCommunicator& comm : names_.communicators) comm_names_.push_back(json_string(comm.name));
    for (const MergedSite& site : names_.sites) {
      std::string members;
      if (!site.function.empty()) members += ",\"function\":" + json_string(site.function);
      if (!site.file.empty())
        members += ",\"file\":" + json_string(site.file) + ",\"line\":" + std::to_string(site.line);
      sites_.push_back(std::move(members));
    }
  }

  Status begin() {
    out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":\"meridian export\",\"time_origin_realtime_ns\":\""
         << names_.time_origin_realtime_ns << "\"},\"traceEvents\":[";
    for (const MergedRank& rank : names_.ranks) {
      name_of("process_name", rank.rank, 0, "rank " + std::to_string(rank.rank) + " on " + rank.host);
      next() << "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":" << rank.rank
             << ",\"tid\":0,\"args\":{\"sort_index\":" << rank.rank << "}}";
    }
    for (const MergedLocation& location : names_.locations)
      name_of("thread_name", location.rank, location.thread, "thread " + std::to_string(location.thread));
    return out_.pass_on();
  }

  Status enter(const TimelineItem& item) override {
    const MergedEvent& event = item.event;
    for (const EventLink& link : item.links) {
      if (link.kind != LinkKind::sent) continue;
      MERIDIAN_TRY(const MergedMessage message, source_.trace.message(link.number, event));
      flow("s", event, link.number, event.enter_ns)
          << ",\"args\":{\"bytes\":" << message.bytes << ",\"tag\":" << message.tag;
      communicator(message.comm);
      out_ << "}}";
    }
    return out_.pass_on();
  }

  Status leave(const TimelineItem& item, std::int64_t time_ns) override {
    const MergedEvent& event = item.event;
    for (const EventLink& link : item.links) {
      if (link.kind != LinkKind::received) continue;
      // Inside of the call: viewers attach what is at its end to the next one.
      flow("f", event, link.number, std::max(event.enter_ns, time_ns - 1)) << ",\"bp\":\"e\"}";
    }
    if (item.is_counter) {
      counter(item);
      return out_.pass_on();
    }
    const bool is_moment = item.kind == TimelineKind::moment;
    next() << (is_moment ? "{\"ph\":\"i\",\"s\":\"t\"" : "{\"ph\":\"X\"") << ",\"name\":" << name(event)
           << ",\"cat\":" << (event.call < call_groups_.size() ? std::string_view{call_groups_[event.call]} : "\"\"");
    place(event, event.enter_ns);
    if (!is_moment) (out_ << ",\"dur\":").fixed_point(time_ns - event.enter_ns, kMicrosecondDigits);
    out_ << ",\"args\":{\"sequence\":" << event.sequence;
    if (item.kind == TimelineKind::call) details(event);
    if (event.site < sites_.size()) out_ << sites_[event.site];
    if (!item.values.empty()) values(item.values);
    out_ << "}}";
    return out_.pass_on();
  }

  /// Samples and intervals without a processor are in a row of their own below that of the thread.
  Status program() {
    MERIDIAN_TRY_DO(walk_samples(source_, [&](const SampleItem& item) {
      name_row(item.location);
      next() << "{\"ph\":\"i\",\"s\":\"t\",\"name\":"
             << json_string(item.frames->empty() ? "unknown" : item.frames->back()) << ",\"cat\":\"sample\"";
      place_in_row(item.location, item.time_ns);
      out_ << ",\"args\":{\"place\":" << json_string(*item.place)
           << ",\"path\":" << json_string(path_text(*item.frames)) << "}}";
      return out_.pass_on();
    }));
    return walk_intervals(source_, [&](const MergedInterval& row) {
      const auto location = static_cast<std::uint32_t>(row.location);
      name_row(location);
      next() << "{\"ph\":\"X\",\"name\":" << (row.is_ready ? "\"ready\"" : "\"slept\"") << ",\"cat\":\"processor\"";
      place_in_row(location, row.begin_ns());
      (out_ << ",\"dur\":").fixed_point(row.length_ns, kMicrosecondDigits)
          << ",\"args\":{\"intervals\":" << row.count << "}}";
      return out_.pass_on();
    });
  }

  Status end() {
    out_ << "\n]}\n";
    return out_.flush();
  }

 private:
  SinkBuffer& next() {
    out_ << (is_first_ ? "\n" : ",\n");
    is_first_ = false;
    return out_;
  }
  std::string_view name(const MergedEvent& event) const {
    return event.call < call_names_.size() ? std::string_view{call_names_[event.call]} : "\"unknown call\"";
  }
  /// Viewers know counters of processes only. The `id` gives each thread a track of its own.
  void counter(const TimelineItem& item) {
    next() << "{\"ph\":\"C\",\"name\":" << name(item.event) << ",\"id\":" << item.event.thread;
    place(item.event, item.event.enter_ns);
    out_ << ",\"args\":{\"value\":" << json_number(item.number()) << "}}";
  }
  void values(std::span<const NamedValue> values) {
    out_ << ",\"values\":{";
    for (const NamedValue& value : values) {
      const double* const real = std::get_if<double>(&value.value);
      const bool is_text = std::holds_alternative<std::string>(value.value);
      out_ << (&value == values.data() ? "" : ",") << json_string(value.field->name) << ':'
           << (is_text           ? json_string(text_of(value.value))
               : real != nullptr ? json_number(*real)
                                 : text_of(value.value));
    }
    out_ << '}';
  }
  /// JSON has no infinities.
  static std::string json_number(double value) { return std::isfinite(value) ? text_of(UserValue{value}) : "null"; }
  void place(const MergedEvent& event, std::int64_t time_ns) {
    (out_ << ",\"pid\":" << event.rank << ",\"tid\":" << event.thread << ",\"ts\":")
        .fixed_point(time_ns, kMicrosecondDigits);
  }
  SinkBuffer& flow(std::string_view phase, const MergedEvent& event, std::uint64_t number, std::int64_t time_ns) {
    next() << "{\"ph\":\"" << phase << "\",\"name\":\"message\",\"cat\":\"message\",\"id\":" << number;
    place(event, time_ns);
    return out_;
  }
  void communicator(std::int32_t comm) {
    const auto at = static_cast<std::size_t>(comm);
    if (comm >= 0 && at < comm_names_.size()) out_ << ",\"comm\":" << comm << ",\"communicator\":" << comm_names_[at];
  }
  void details(const MergedEvent& event) {
    communicator(event.comm);
    if (event.peer >= 0) out_ << ",\"peer\":" << event.peer;
    if (event.tag >= 0) out_ << ",\"tag\":" << event.tag;
    if (event.bytes_sent != 0) out_ << ",\"bytes_sent\":" << event.bytes_sent;
    if (event.bytes_received != 0) out_ << ",\"bytes_received\":" << event.bytes_received;
    if (event.flags != 0) out_ << ",\"flags\":" << event.flags;
    if (event.calls != 1) out_ << ",\"calls\":" << event.calls << ",\"outside_ns\":" << event.outside_ns;
  }
  static std::uint32_t row_of(std::uint32_t thread) { return kProgramRows + thread; }
  void name_row(std::uint32_t location) {
    if (!rows_.insert(location).second) return;
    const MergedLocation& at = names_.locations[location];
    name_of("thread_name", at.rank, row_of(at.thread),
            "thread " + std::to_string(at.thread) + ": functions, processor");
  }
  void place_in_row(std::uint32_t location, std::int64_t time_ns) {
    const MergedLocation& at = names_.locations[location];
    (out_ << ",\"pid\":" << at.rank << ",\"tid\":" << row_of(at.thread) << ",\"ts\":")
        .fixed_point(time_ns, kMicrosecondDigits);
  }
  void name_of(std::string_view what, std::int32_t rank, std::uint32_t thread, const std::string& name) {
    next() << "{\"ph\":\"M\",\"name\":\"" << what << "\",\"pid\":" << rank << ",\"tid\":" << thread
           << ",\"args\":{\"name\":" << json_string(name) << "}}";
  }

  ExportSource& source_;
  const MergedDefinitions& names_;
  SinkBuffer out_;
  std::vector<std::string> call_names_, call_groups_, comm_names_, sites_;  // as JSON
  std::set<std::uint32_t> rows_;                                            // locations whose row below is named
  bool is_first_ = true;
};

}  // namespace

Status export_chrome(ExportSource& source, ExportSink& sink) {
  MERIDIAN_TRY(const bool is_wanted, sink.begin("trace.json"));
  if (!is_wanted) return {};
  ChromeEvents events{source, sink};
  MERIDIAN_TRY_DO(events.begin());
  MERIDIAN_TRY_DO(walk_timeline(source, events));
  MERIDIAN_TRY_DO(events.program());
  return events.end();
}

}  // namespace meridian
