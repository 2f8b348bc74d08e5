// SPDX-License-Identifier: Apache-2.0
#include "field_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <utility>

#include "controlled_logical_clock.hpp"
#include "field_clocks.hpp"

namespace meridian::test {
namespace {

constexpr double kPhaseStartS = .2;  // of the ping-pongs of HCA3 and JK; the run begins at 5 s
constexpr double kPhasePauseS = .1;  // from the run to those after it
constexpr int kMoments = 500;        // at which bounds are compared with the truth
constexpr std::size_t kNoCause = std::numeric_limits<std::size_t>::max();

/// An end of a call that sends, receives or takes part in a collective.
struct FieldEvent {
  std::size_t host = 0;
  double true_s = 0;
  double local_ns = 0;
  std::size_t send = kNoCause;        ///< of a receive
  std::vector<std::size_t> enters{};  ///< of an exit of a collective
};

/// The events of a run, causes first.
std::vector<FieldEvent> events_of(const SimulatedRun& run) {
  struct End {
    double true_s;
    std::size_t rank, call;
    bool is_exit;
  };
  std::vector<End> ends;
  for (std::size_t rank = 0; rank < run.calls.size(); ++rank)
    for (std::size_t i = 0; i < run.calls[rank].size(); ++i) {
      const SimulatedCall& call = run.calls[rank][i];
      if (call.kind != SimulatedCall::receive) ends.push_back({call.enter_s, rank, i, false});
      if (call.kind != SimulatedCall::send) ends.push_back({call.leave_s, rank, i, true});
    }
  std::ranges::stable_sort(ends, {}, &End::true_s);
  std::vector<FieldEvent> events;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<std::size_t>> sent;
  std::vector<std::size_t> enters;  // of the present collective
  for (const End& end : ends) {
    const SimulatedCall& call = run.calls[end.rank][end.call];
    FieldEvent event{end.rank, end.true_s, static_cast<double>(end.is_exit ? call.leave_ticks : call.enter_ticks)};
    const auto peer = static_cast<std::size_t>(call.peer);
    if (call.kind == SimulatedCall::send) sent[{end.rank, peer}].push_back(events.size());
    if (call.kind == SimulatedCall::receive) {
      event.send = sent[{peer, end.rank}].front();
      sent[{peer, end.rank}].pop_front();
    }
    if (call.kind == SimulatedCall::allreduce && end.is_exit) event.enters = enters;
    if (call.kind == SimulatedCall::allreduce && !end.is_exit) {
      if (enters.size() == run.calls.size()) enters.clear();
      enters.push_back(events.size());
    }
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<double> times_on(const std::vector<FieldEvent>& events, const FieldClocks& clocks) {
  std::vector<double> times;
  times.reserve(events.size());
  for (const FieldEvent& event : events) times.push_back(clocks[event.host](event.local_ns));
  return times;
}

std::vector<double> moved_by_clc(const std::vector<FieldEvent>& events, const std::vector<double>& times,
                                 double latency_ns) {
  std::vector<TracedEvent> traced;
  for (std::size_t i = 0; i < events.size(); ++i) {
    TracedEvent& one = traced.emplace_back(TracedEvent{events[i].host, times[i], events[i].enters});
    if (events[i].send != kNoCause) one.causes.push_back(events[i].send);
  }
  return controlled_logical_clock(traced, {.latency_ns = latency_ns});
}

double quantile(std::vector<double>& values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// `truth`: global times of the events.
FieldFigures figures_of(const std::vector<FieldEvent>& events, const std::vector<double>& times,
                        const std::vector<double>& truth) {
  FieldFigures figures;
  std::vector<double> errors, intervals;
  std::map<std::size_t, std::size_t> last;  // event of each host
  for (std::size_t i = 0; i < events.size(); ++i) {
    const FieldEvent& event = events[i];
    const double error = times[i] - truth[i];
    if (event.host != 0) errors.push_back(std::abs(error));
    if (const auto before = last.find(event.host); before != last.end())
      intervals.push_back(std::abs(error - (times[before->second] - truth[before->second])));
    last[event.host] = i;
    if (event.send == kNoCause) continue;
    ++figures.messages;
    figures.reversed += times[i] < times[event.send];
  }
  for (const double error : errors) figures.mean_ns += error / static_cast<double>(errors.size());
  figures.p99_ns = quantile(errors, .99);
  figures.worst_ns = *std::ranges::max_element(errors);
  figures.interval_p99_ns = quantile(intervals, .99);
  figures.interval_worst_ns = *std::ranges::max_element(intervals);
  return figures;
}

/// Of one repetition.
class Comparing {
 public:
  explicit Comparing(const Scenario& scenario) : run_{scenario, true}, events_{events_of(run_)} {
    for (const FieldEvent& event : events_) truth_.push_back(reference_ns(event.true_s));
  }

  FieldComparison result() {
    const std::vector<double> line = times_on(events_, line_between_ends(run_));
    add("line between start and end", line);
    add("the same, then CLC", moved_by_clc(events_, line, run_.scenario.latency_ns));
    int without = 0;
    add("Duda's hulls", times_on(events_, duda_hull(run_, without)));
    result_.pairs_without_line = static_cast<std::size_t>(without);
    result_.pairs = static_cast<std::size_t>(run_.scenario.hosts - 1);
    const auto jk = jones_koenig(run_, kPhaseStartS), hca = hca3(run_, kPhaseStartS);
    add("JK before the run", times_on(events_, extrapolated(jk)));
    add("HCA3 before the run", times_on(events_, extrapolated(hca)));
    const double after_s = run_.end_s + kPhasePauseS;
    add("JK before and after", times_on(events_, interpolated(jk, jones_koenig(run_, after_s))));
    add("HCA3 before and after", times_on(events_, interpolated(hca, hca3(run_, after_s))));
    add_ours();
    return std::move(result_);
  }

 private:
  double reference_ns(double true_s) const { return static_cast<double>(run_.clocks[0].ticks(true_s)); }

  void add(const char* method, const std::vector<double>& times) { add(method, times, truth_); }
  void add(const char* method, const std::vector<double>& times, const std::vector<double>& truth) {
    FieldFigures& figures = result_.methods.emplace_back(figures_of(events_, times, truth));
    figures.method = method;
  }

  void add_ours() {
    ClockOptions options;
    options.reference = "0";
    const ClockTrial trial{run_, options};
    std::vector<double> times, truth;
    for (const FieldEvent& event : events_) {
      const auto ticks = static_cast<std::uint64_t>(event.local_ns);
      times.push_back(static_cast<double>(trial.clocks.maps[event.host].to_global(ticks)));
      truth.push_back(static_cast<double>(trial.clocks.maps[0].to_global(run_.clocks[0].ticks(event.true_s))));
    }
    add("`meridian`", times, truth);
    for (const BoundLevel level : {BoundLevel::t1, BoundLevel::t2}) {
      const BoundFigures bound = bounds(run_, trial.clocks, level, kMoments);
      result_.checked += Checked{bound.points - bound.uncertified, bound.outside};
    }
  }

  SimulatedRun run_;
  std::vector<FieldEvent> events_;
  std::vector<double> truth_;
  FieldComparison result_;
};

}  // namespace

Scenario field_scenario(const std::string& clocks) {
  Scenario scenario{
      .name = clocks, .hosts = 8, .ranks_per_host = 1, .seconds = 300, .iteration_ms = 40, .drift = Drift::thermal};
  if (clocks == "straight" || clocks == "a step of 50 us") scenario.drift = Drift::linear;
  if (clocks == "NTP slews") scenario.drift = Drift::slewed;
  if (clocks == "a step of 50 us") scenario.step_ns = 50'000;
  scenario.has_warmth = clocks != "walk of the rate";
  scenario.has_walk = clocks != "temperature";
  return scenario;
}

FieldComparison compare_field(const std::string& clocks, int repetitions) {
  FieldComparison all;
  const double n = repetitions;
  for (int i = 0; i < repetitions; ++i) {
    Scenario scenario = field_scenario(clocks);
    scenario.seed = 300 + static_cast<std::uint64_t>(i);
    const FieldComparison one = Comparing{scenario}.result();
    all.methods.resize(one.methods.size());
    for (std::size_t m = 0; m < one.methods.size(); ++m) {
      FieldFigures& sum = all.methods[m];
      const FieldFigures& figures = one.methods[m];
      sum.method = figures.method;
      sum.mean_ns += figures.mean_ns / n;
      sum.p99_ns += figures.p99_ns / n;
      sum.worst_ns = std::max(sum.worst_ns, figures.worst_ns);
      sum.interval_p99_ns += figures.interval_p99_ns / n;
      sum.interval_worst_ns = std::max(sum.interval_worst_ns, figures.interval_worst_ns);
      sum.reversed += figures.reversed;
      sum.messages += figures.messages;
    }
    all.pairs_without_line += one.pairs_without_line;
    all.pairs += one.pairs;
    all.checked += one.checked;
  }
  return all;
}

}  // namespace meridian::test
