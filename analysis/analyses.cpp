// SPDX-License-Identifier: Apache-2.0
#include "analysis/analyses.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/walk/trace_visitor.hpp"
#include "summary/problems/problems.hpp"

namespace meridian {

using VisitorMade = Result<std::unique_ptr<TraceVisitor>>;
using BackwardMade = Result<std::unique_ptr<BackwardVisitor>>;

// To add an analysis: its file, its declaration and row here, and its table in summary/.
VisitorMade count_communication_sizes(const AnalysisInput& input);
VisitorMade find_efficiencies(const AnalysisInput& input);
VisitorMade find_critical_path(const AnalysisInput& input);
VisitorMade find_openmp_regions(const AnalysisInput& input);
VisitorMade find_delays(const AnalysisInput& input);
VisitorMade find_iterations(const AnalysisInput& input);
BackwardMade find_waits(const EventWindow& window, const Summary& summary, WaitSink* waits);
BackwardMade find_link_speeds(const EventWindow& window, const Summary& summary, WaitSink* waits);
BackwardMade find_late_arrivals(const EventWindow& window, const Summary& summary, WaitSink* waits);

namespace {

using VisitorMaker = decltype(&find_delays);
using BackwardMaker = decltype(&find_waits);
using TableFiller = Status (*)(Summary& summary);  // from the tables of all others

struct Analysis {
  std::string_view name;
  std::variant<VisitorMaker, BackwardMaker, TableFiller> analyse;
};

// Shares of the time of all analyses: until the end of the walk backwards, and of the first walk forwards.
constexpr double kBackwards = 0.3;
constexpr double kForwards = 0.8;

Status list_problems(Summary& summary) {
  summary.problems = find_problems(summary);
  return {};
}

constexpr Analysis kAnalyses[] = {
    {"wait states", find_waits},
    {"latency and bandwidth", find_link_speeds},
    {"late arrivals", find_late_arrivals},
    {"sizes of messages and collectives", count_communication_sizes},
    {"efficiencies", find_efficiencies},
    {"critical path", find_critical_path},
    {"OpenMP regions", find_openmp_regions},
    {"root causes of waits", find_delays},
    {"iterations", find_iterations},
    {"problems", list_problems},
};

Status named(std::string_view name, Status status) {
  if (status) return status;
  Error error = std::move(status).error();
  error.what = std::string{name} + ": " + error.what;
  return error;
}

template <class Visitor>
struct Visit {
  std::string_view name;
  std::unique_ptr<Visitor> visitor;
  bool wants_more = true;
};

/// The visitors that the functions of one kind make.
template <class Visitor, class Make, class... Arguments>
Result<std::vector<Visit<Visitor>>> visits(const Arguments&... arguments) {
  std::vector<Visit<Visitor>> list;
  for (const Analysis& analysis : kAnalyses) {
    const Make* const make = std::get_if<Make>(&analysis.analyse);
    if (make == nullptr) continue;
    auto made = (*make)(arguments...);
    if (!made) return named(analysis.name, std::move(made).error()).error();
    list.push_back({analysis.name, *std::move(made)});
  }
  return list;
}

template <class Visitor, class Events>
Status show(const std::vector<Visit<Visitor>>& visits, const Events& events) {
  for (const Visit<Visitor>& each : visits)
    if (each.wants_more) MERIDIAN_TRY_DO(named(each.name, each.visitor->look_at(events)));
  return {};
}

template <class Visitor>
Status finish(const std::vector<Visit<Visitor>>& visits, Summary& summary) {
  for (const Visit<Visitor>& each : visits) MERIDIAN_TRY_DO(named(each.name, each.visitor->finish(summary)));
  return {};
}

/// The parts of the time that walks have come to.
class Progress {
 public:
  Progress(const MergedTrace& trace, const std::function<void(double)>& sink)
      : events_{static_cast<double>(trace.events())}, sink_{sink} {}
  void begin_walk(double from, double to) {
    from_ = from;
    to_ = to;
  }
  void show(std::uint64_t done) const {
    if (sink_) sink_(from_ + (to_ - from_) * static_cast<double>(done) / events_);
  }

 private:
  double events_, from_ = 0, to_ = 0;
  const std::function<void(double)>& sink_;
};

/// Comes before the others, which read the waits of calls from the file. Returns the spans of the ranks.
Result<std::vector<MeasuredSpan>> walk_backwards(const MergedTrace& trace, Summary& summary, WaitSink* waits,
                                                 Progress& progress) {
  MERIDIAN_TRY(EventWindow window,
               EventWindow::open(trace, {.is_backwards = true,
                                         .fields = kFieldComm | kFieldPeer | kFieldTag | kFieldBytesSent,
                                         .links = link_bit(LinkKind::sent) | link_bit(LinkKind::received) |
                                                  link_bit(LinkKind::left)}));
  MERIDIAN_TRY(const auto list, visits<BackwardVisitor, BackwardMaker>(window, summary, waits));
  MeasuredSpans spans{trace.definitions()};
  progress.begin_walk(0, kBackwards);
  for (;;) {
    MERIDIAN_TRY(const bool has_events, window.next());
    if (!has_events) break;
    for (const MergedEvent& event : window.current().events) spans.add(event);
    MERIDIAN_TRY_DO(show(list, window.current()));
    progress.show(trace.events() - window.current().events.back().row);
  }
  MERIDIAN_TRY_DO(finish(list, summary));
  return spans.spans();
}

/// Again as long as a visitor wants more.
Status walk_forwards(const MergedTrace& trace, const std::vector<MeasuredSpan>& spans, Summary& summary,
                     Progress& progress) {
  MERIDIAN_TRY(auto list, visits<TraceVisitor, VisitorMaker>(AnalysisInput{trace, summary, spans}));
  const std::uint32_t fields = kFieldComm | kFieldTag | kFieldBytesSent | kFieldCalls | kFieldPath;
  for (std::uint8_t links = kAllLinks; std::ranges::any_of(list, &Visit<TraceVisitor>::wants_more); links = kNoLinks) {
    MERIDIAN_TRY(TraceWalk walk, TraceWalk::open(trace, links, fields));
    progress.begin_walk(links == kAllLinks ? kBackwards : kForwards, links == kAllLinks ? kForwards : 1);
    MERIDIAN_TRY_DO(walk.run([&](std::span<const WalkedEvent> events) {
      progress.show(events.front().event.row);
      return show(list, events);
    }));
    for (Visit<TraceVisitor>& each : list) {
      if (!each.wants_more) continue;
      auto wants_more = each.visitor->wants_more();
      if (!wants_more) return named(each.name, std::move(wants_more).error());
      each.wants_more = *wants_more;
    }
  }
  return finish(list, summary);
}

}  // namespace

Status run_analyses(const MergedTrace& trace, Summary& summary, WaitSink* waits,
                    const std::function<void(double)>& progress) {
  Progress shown{trace, progress};
  MERIDIAN_TRY(const std::vector<MeasuredSpan> spans, walk_backwards(trace, summary, waits, shown));
  MERIDIAN_TRY_DO(walk_forwards(trace, spans, summary, shown));
  if (progress) progress(1);
  for (const Analysis& analysis : kAnalyses)
    if (const auto* const fill = std::get_if<TableFiller>(&analysis.analyse))
      MERIDIAN_TRY_DO(named(analysis.name, (*fill)(summary)));
  return {};
}

}  // namespace meridian
