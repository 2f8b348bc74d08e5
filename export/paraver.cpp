// SPDX-License-Identifier: Apache-2.0
// The format: "Paraver Trace Format" of the Barcelona Supercomputing Center. Types of events are those of Extrae.
#include "export/paraver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/sink_buffer.hpp"
#include "export/texts.hpp"
#include "export/timeline.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kParaverOther = 50000003;
constexpr std::uint32_t kParaverValues = 62000000;  ///< the first type of values of user events

/// The type of the events of a group of calls; an event with the value 0 ends the last one.
struct ParaverType {
  std::string_view group;
  std::uint32_t type;
  std::string_view label;
};
constexpr ParaverType kParaverTypes[] = {
    {"p2p", 50000001, "MPI Point-to-point"},   {"request", 50000001, "MPI Point-to-point"},
    {"coll", 50000002, "MPI Collective Comm"}, {"io", 50000005, "MPI I/O"},
    {"rma", 50000004, "MPI One-sided"},        {"thread", 61000000, "pthread call"},
    {"lock", 61000000, "pthread call"},        {"sleep", 61000000, "pthread call"},
    {"files", 40000004, "I/O calls"},          {"openmp", 60000001, "OpenMP"},
    {"user", 60000019, "User function"},
};
constexpr ParaverType kParaverOtherType{"", kParaverOther, "MPI Other"};

const ParaverType& paraver_type(std::string_view group) {
  const auto found = std::ranges::find(kParaverTypes, group, &ParaverType::group);
  return found == std::end(kParaverTypes) ? kParaverOtherType : *found;
}

/// "24/11/2026 at 03:25", UTC.
std::string date_of(std::int64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm date{};
  std::array<char, 32> text{};
  if (gmtime_r(&seconds, &date) == nullptr) return "01/01/1970 at 00:00";
  return {text.data(), std::strftime(text.data(), text.size(), "%d/%m/%Y at %H:%M", &date)};
}

/// The numbers of a location, from 1 on.
struct ParaverPlace {
  std::size_t processor = 0, task = 0, thread = 0;
};

class ParaverTrace final : public TimelineVisitor {
 public:
  ParaverTrace(ExportSource& source, ExportSink& sink)
      : source_{source}, names_{source.trace.definitions()}, out_{sink} {
    for (const MergedLocation& location : names_.locations) threads_[location.rank];
    for (const MergedRank& rank : names_.ranks) threads_[rank.rank];
    std::map<std::string, std::size_t> nodes;
    for (auto& [rank, task] : threads_) {
      const MergedRank* const known = names_.find_rank(rank);
      const std::string host = known == nullptr ? "" : known->host;
      task.node = nodes.emplace(host, nodes.size() + 1).first->second;
      if (hosts_.size() < nodes.size()) hosts_.push_back(host);
    }
    std::size_t number = 0;
    for (auto& [rank, task] : threads_) task.number = ++number;
    for (std::size_t i = 0; i < names_.locations.size(); ++i) {
      Task& task = threads_[names_.locations[i].rank];
      places_.push_back({i + 1, task.number, ++task.threads});
    }
    open_.resize(names_.locations.size());
    for (const MergedUserEvent& event : names_.user)
      for (const UserField& field : user_fields(event.fields))
        if (field.type != "text")
          value_types_.emplace(std::pair{event.call, field.name},
                               kParaverValues + static_cast<std::uint32_t>(value_types_.size()));
  }

  /// The header needs the length of the trace.
  Status begin() {
    std::int64_t latest_ns = 0;
    MERIDIAN_TRY(EventCursor cursor, source_.trace.select({.fields = 0, .links = kNoLinks}));
    MergedBatch batch;
    for (;;) {
      MERIDIAN_TRY(const bool has_more, cursor.next(batch));
      if (!has_more) break;
      for (const MergedEvent& event : batch.events) latest_ns = std::max(latest_ns, event.leave_ns());
    }
    std::vector<std::size_t> processors(hosts_.size());
    for (const MergedLocation& location : names_.locations) ++processors[threads_[location.rank].node - 1];
    out_ << "#Paraver (" << date_of(names_.time_origin_realtime_ns) << "):" << latest_ns << "_ns:" << hosts_.size()
         << '(';
    for (std::size_t i = 0; i < processors.size(); ++i) out_ << (i == 0 ? "" : ",") << processors[i];
    out_ << "):1:" << threads_.size() << '(';
    bool is_first = true;
    for (const auto& [rank, task] : threads_) {
      out_ << (is_first ? "" : ",") << std::max<std::size_t>(task.threads, 1) << ':' << task.node;
      is_first = false;
    }
    out_ << ")," << names_.communicators.size() << '\n';
    for (std::size_t i = 0; i < names_.communicators.size(); ++i) {
      const std::uint32_t group = names_.communicators[i].group;
      std::vector<std::size_t> members;
      if (group < names_.groups.size())
        for (const std::int32_t rank : names_.groups[group])
          if (const auto task = threads_.find(rank); task != threads_.end()) members.push_back(task->second.number);
      out_ << "c:1:" << i + 1 << ':' << members.size();
      for (const std::size_t member : members) out_ << ':' << member;
      out_ << '\n';
    }
    return out_.pass_on();
  }

  Status enter(const TimelineItem& item) override {
    const MergedEvent& event = item.event;
    const std::uint32_t type = type_of(event.call);
    open_[event.location].push_back(event.call);
    write_event(event, event.enter_ns, type, std::uint64_t{event.call} + 1, item.values);
    for (const EventLink& link : item.links) {
      if (link.kind != LinkKind::sent) continue;
      MERIDIAN_TRY(const MergedMessage message, source_.trace.message(link.number, event));
      MERIDIAN_TRY(const MergedEvent post, source_.trace.event(message.post));
      MERIDIAN_TRY(const MergedEvent completion, source_.trace.event(message.completion));
      out_ << "3:";
      place(event.location);
      out_ << event.enter_ns << ':' << event.enter_ns << ':';
      place(completion.location);
      out_ << post.enter_ns << ':' << completion.leave_ns() << ':' << message.bytes << ':' << message.tag << '\n';
    }
    return out_.pass_on();
  }

  Status leave(const TimelineItem& item, std::int64_t time_ns) override {
    std::vector<std::uint32_t>& open = open_[item.event.location];
    open.pop_back();
    const std::uint32_t type = type_of(item.event.call);
    const auto around =
        std::find_if(open.rbegin(), open.rend(), [&](std::uint32_t call) { return type_of(call) == type; });
    write_event(item.event, time_ns, type, around == open.rend() ? 0 : std::uint64_t{*around} + 1);
    return out_.pass_on();
  }

  Status end() { return out_.flush(); }

  Status configuration() {
    out_ << "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\nLOOK_BACK 100\nSPEED 1\nFLAG_ICONS ENABLED\n"
            "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE 37\n\n\nDEFAULT_SEMANTIC\n\nTHREAD_FUNC State As Is\n\n\n";
    std::map<std::uint32_t, std::string_view> labels{{kParaverOther, kParaverOtherType.label}};
    for (const ParaverType& row : kParaverTypes) labels.emplace(row.type, row.label);
    for (const auto& [type, label] : labels) {
      out_ << "EVENT_TYPE\n9 " << type << ' ' << label << "\nVALUES\n0 End\n";
      for (std::uint32_t call = 0; call < names_.calls.size(); ++call)
        if (type_of(call) == type && !names_.calls[call].name.empty())
          out_ << std::uint64_t{call} + 1 << ' ' << plain_text(names_.calls[call].name) << '\n';
      out_ << "\n\n";
    }
    for (const auto& [value, type] : value_types_)
      out_ << "EVENT_TYPE\n9 " << type << ' ' << plain_text(names_.call_name(value.first)) << ' '
           << plain_text(value.second) << "\n\n\n";
    return out_.flush();
  }

  Status labels() {
    out_ << "LEVEL CPU SIZE " << names_.locations.size() << '\n';
    for (std::size_t i = 0; i < names_.locations.size(); ++i) out_ << "CPU " << i + 1 << '\n';
    out_ << "\nLEVEL NODE SIZE " << hosts_.size() << '\n';
    for (const std::string& host : hosts_) out_ << plain_text(host) << '\n';
    out_ << "\nLEVEL THREAD SIZE " << names_.locations.size() << '\n';
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::size_t>> order;
    for (std::size_t i = 0; i < places_.size(); ++i) order.push_back({{places_[i].task, places_[i].thread}, i});
    std::ranges::sort(order);
    for (const auto& [place_of, i] : order)
      out_ << "rank " << names_.locations[i].rank << " thread " << names_.locations[i].thread << '\n';
    return out_.flush();
  }

 private:
  struct Task {
    std::size_t number = 0, node = 0, threads = 0;
  };
  std::uint32_t type_of(std::uint32_t call) const {
    return paraver_type(call < names_.calls.size() ? std::string_view{names_.calls[call].group} : std::string_view{})
        .type;
  }
  void place(std::uint32_t location) {
    const ParaverPlace& at = places_[location];
    out_ << at.processor << ":1:" << at.task << ':' << at.thread << ':';
  }
  void write_event(const MergedEvent& event, std::int64_t time_ns, std::uint32_t type, std::uint64_t value,
                   std::span<const NamedValue> values = {}) {
    out_ << "2:";
    place(event.location);
    out_ << time_ns << ':' << type << ':' << value;
    for (const NamedValue& one : values) {
      const auto known = value_types_.find({event.call, one.field->name});
      const double* const real = std::get_if<double>(&one.value);
      if (known == value_types_.end()) {
        source_.left_out.add("texts of user events: Paraver has numbers only");
      } else if (real == nullptr) {
        out_ << ':' << known->second << ':' << text_of(one.value);
      } else if (std::abs(*real) < 9e18) {
        out_ << ':' << known->second << ':' << std::llround(*real);
        if (*real != std::nearbyint(*real))
          source_.left_out.add("fractions of values of user events: Paraver has whole numbers");
      } else {
        source_.left_out.add("values of user events that are no number, or too large for Paraver");
      }
    }
    out_ << '\n';
  }

  ExportSource& source_;
  const MergedDefinitions& names_;
  SinkBuffer out_;
  std::map<std::int32_t, Task> threads_;                                        // [rank]
  std::vector<std::string> hosts_;                                              // [node - 1]
  std::vector<ParaverPlace> places_;                                            // [location]
  std::vector<std::vector<std::uint32_t>> open_;                                // [location]: calls, innermost last
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> value_types_;  // [call, field]
};

}  // namespace

Status export_paraver(ExportSource& source, ExportSink& sink) {
  ParaverTrace trace{source, sink};
  MERIDIAN_TRY(const bool is_trace_wanted, sink.begin("trace.prv"));
  if (is_trace_wanted) {
    MERIDIAN_TRY_DO(trace.begin());
    MERIDIAN_TRY_DO(walk_timeline(source, trace));
    MERIDIAN_TRY_DO(trace.end());
  }
  MERIDIAN_TRY(const bool is_configuration_wanted, sink.begin("trace.pcf"));
  if (is_configuration_wanted) MERIDIAN_TRY_DO(trace.configuration());
  MERIDIAN_TRY(const bool is_row_wanted, sink.begin("trace.row"));
  return is_row_wanted ? trace.labels() : Status{};
}

}  // namespace meridian
