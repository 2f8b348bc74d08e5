// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis_walks.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace meridian {
namespace {

// Shares of the time of all analyses: until the end of the walk backwards, and of the first walk forwards.
constexpr double kBackwards = 0.3;
constexpr double kForwards = 0.8;

template <class Visitor>
struct Visit {
  std::string_view name;
  std::unique_ptr<Visitor> visitor;
  bool wants_more = true;
};

/// The visitors that the functions of one kind make.
template <class Visitor, class Make, class... Arguments>
Result<std::vector<Visit<Visitor>>> visits(AnalysisSet set, const Arguments&... arguments) {
  std::vector<Visit<Visitor>> list;
  for (std::size_t i = 0; i < all_analyses().size(); ++i) {
    const Analysis& analysis = all_analyses()[i];
    const Make* const make = std::get_if<Make>(&analysis.analyse);
    if (make == nullptr || !set.has(i)) continue;
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

/// Links take half the time of reading events; most analyses do without.
std::uint8_t links_for(AnalysisSet set) {
  for (std::size_t i = 0; i < all_analyses().size(); ++i)
    if (set.has(i) && all_analyses()[i].cost.reads_links) return kAllLinks;
  return kNoLinks;
}

}  // namespace

Status named(std::string_view name, Status status) {
  if (status) return status;
  Error error = std::move(status).error();
  error.what = std::string{name} + ": " + error.what;
  return error;
}

Result<std::vector<MeasuredSpan>> walk_backwards(const MergedTrace& trace, AnalysisSet set, Summary& summary,
                                                 WaitSink* waits, const std::function<Status()>& before_finish,
                                                 AnalysisProgress& progress) {
  MERIDIAN_TRY(EventWindow window,
               EventWindow::open(trace, {.is_backwards = true,
                                         .fields = kFieldComm | kFieldPeer | kFieldTag | kFieldBytesSent,
                                         .links = link_bit(LinkKind::sent) | link_bit(LinkKind::received) |
                                                  link_bit(LinkKind::left)}));
  MERIDIAN_TRY(const auto list, visits<BackwardVisitor, BackwardMaker>(set, window, summary, waits));
  MeasuredSpans spans{trace.definitions(), summary};
  progress.begin_walk(0, kBackwards);
  for (;;) {
    MERIDIAN_TRY(const bool has_events, window.next());
    if (!has_events) break;
    for (const MergedEvent& event : window.current().events) spans.add(event);
    MERIDIAN_TRY_DO(show(list, window.current()));
    progress.show(trace.events() - window.current().events.back().row);
  }
  if (before_finish) MERIDIAN_TRY_DO(before_finish());
  MERIDIAN_TRY_DO(finish(list, summary));
  return spans.spans();
}

Status walk_forwards(const MergedTrace& trace, AnalysisSet set, const std::vector<MeasuredSpan>& spans,
                     Summary& summary, AnalysisProgress& progress) {
  MERIDIAN_TRY(auto list, visits<TraceVisitor, VisitorMaker>(set, AnalysisInput{trace, summary, spans}));
  const std::uint32_t fields = kFieldComm | kFieldTag | kFieldBytesSent | kFieldCalls | kFieldPath;
  bool is_first = true;
  for (; std::ranges::any_of(list, &Visit<TraceVisitor>::wants_more); is_first = false) {
    MERIDIAN_TRY(TraceWalk walk, TraceWalk::open(trace, is_first ? links_for(set) : kNoLinks, fields));
    progress.begin_walk(is_first ? kBackwards : kForwards, is_first ? kForwards : 1);
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

}  // namespace meridian
