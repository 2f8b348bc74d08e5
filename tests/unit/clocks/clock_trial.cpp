// SPDX-License-Identifier: Apache-2.0
// Applies a model to a simulated run and compares it with the truth.

#include "clock_simulator.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/clocks/samples/clock_observer.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <span>

namespace meridian::test {
namespace {

constexpr double kNs = 1e9;

std::int64_t to_global(const Clocks& clocks, std::int32_t rank, std::int64_t ticks) {
  return clocks.maps[static_cast<std::size_t>(rank)].to_global(static_cast<std::uint64_t>(ticks));
}

/// Processor time between its beginning and stop().
class Stopwatch {
 public:
  double stop() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

/// Feeds the observer as matching would; returns the time spent in the observer.
double observe(const SimulatedRun& run, const Clocks& first, ClockObserver& observer) {
  constexpr std::size_t kTogether = 4096;
  double seconds = 0;
  std::vector<MatchedMessage> some;
  for (std::size_t begin = 0; begin < run.messages.size(); begin += kTogether) {
    const auto part = std::span{run.messages}.subspan(begin, std::min(kTogether, run.messages.size() - begin));
    some.assign(part.begin(), part.end());
    for (MatchedMessage& message : some) {
      message.send_enter_ns = to_global(first, message.send.rank, message.send_enter_ns);
      message.receive_leave_ns = to_global(first, message.completion.rank, message.receive_leave_ns);
    }
    const Stopwatch watch;
    observer.add(some);
    seconds += watch.stop();
  }
  for (std::vector<CollectivePart> parts : run.collectives) {
    for (CollectivePart& part : parts) {
      part.enter_ns = to_global(first, part.start.rank, part.enter_ns);
      part.leave_ns = to_global(first, part.start.rank, part.leave_ns);
    }
    observer.add(parts);
  }
  return seconds;
}

}  // namespace

ClockTrial::ClockTrial(const SimulatedRun& run, const ClockOptions& options) {
  const auto metas = run.meta_pointers();
  first = *fit_clocks(metas, options);
  clocks = first;
  if (options.model == ClockModel::hull || options.model == ClockModel::meridian) {
    auto observer = std::make_unique<ClockObserver>(metas, first);
    fit_s = observe(run, first, *observer);
    ClockOptions own = options;
    own.parts = observer->find_split();
    if (!own.parts.empty()) {
      is_split = true;
      first = *fit_clocks(metas, own);
      observer = std::make_unique<ClockObserver>(metas, first);
      fit_s += observe(run, first, *observer);
    }
    const Stopwatch watch;
    clocks = refine_clocks(metas, first, observer->finish(), own, &correction);
    fit_s += watch.stop();
  }
  for (const MatchedMessage& message : run.messages)
    if (to_global(clocks, message.completion.rank, message.receive_leave_ns) <=
        to_global(clocks, message.send.rank, message.send_enter_ns))
      ++reversed;
  for (const std::vector<CollectivePart>& parts : run.collectives) {
    std::int64_t last_enter = INT64_MIN, first_exit = INT64_MAX;
    for (const CollectivePart& part : parts) {
      last_enter = std::max(last_enter, to_global(clocks, part.start.rank, part.enter_ns));
      first_exit = std::min(first_exit, to_global(clocks, part.start.rank, part.leave_ns));
    }
    if (first_exit <= last_enter) ++reversed;
  }
}

namespace {

/// Calls visit(host, global time of the host, global time of the reference) at moments spread over the run.
template <class Visit>
void at_moments(const SimulatedRun& run, const Clocks& clocks, int moments, Visit&& visit) {
  const int per_host = run.scenario.ranks_per_host;
  std::size_t reference = 0;
  while (clocks.domain_of[reference] != clocks.reference) ++reference;
  const auto reference_host = static_cast<std::size_t>(run.host_of(static_cast<int>(reference)));
  for (int i = 0; i < moments; ++i) {
    const double t = run.begin_s + .02 + (run.end_s - run.begin_s - .04) * (i + 0.137) / moments;
    if (run.clocks[reference_host].is_still_at(t)) continue;
    const std::int64_t truth = clocks.maps[reference].to_global(run.clocks[reference_host].ticks(t));
    for (int h = 0; h < run.scenario.hosts; ++h) {
      const auto rank = static_cast<std::size_t>(h * per_host);
      if (clocks.domain_of[rank] == clocks.reference) continue;
      if (run.clocks[static_cast<std::size_t>(h)].is_still_at(t)) continue;  // it has no events there
      visit(rank, clocks.maps[rank].to_global(run.clocks[static_cast<std::size_t>(h)].ticks(t)), truth);
    }
  }
}

double quantile(std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(static_cast<double>(sorted.size()) * q))];
}

}  // namespace

ErrorFigures errors(const SimulatedRun& run, const Clocks& clocks, int moments) {
  std::vector<double> all;
  at_moments(run, clocks, moments, [&](std::size_t, std::int64_t found, std::int64_t truth) {
    all.push_back(std::abs(static_cast<double>(found - truth)) / run.scenario.latency_ns);
  });
  std::sort(all.begin(), all.end());
  return {quantile(all, .5), quantile(all, .99), quantile(all, 1)};
}

BoundFigures bounds(const SimulatedRun& run, const Clocks& clocks, BoundLevel level, int moments) {
  BoundFigures figures;
  std::vector<double> widths;
  at_moments(run, clocks, moments, [&](std::size_t rank, std::int64_t found, std::int64_t truth) {
    ++figures.points;
    const auto bound = clocks.bounds.at(clocks.domain_of[rank], found, level);
    if (!bound) {
      ++figures.uncertified;
      return;
    }
    if (truth < found - bound->early_ns || truth > found + bound->late_ns) ++figures.outside;
    widths.push_back(static_cast<double>(bound->half_width_ns()) / run.scenario.latency_ns);
  });
  std::sort(widths.begin(), widths.end());
  figures.p50 = quantile(widths, .5);
  figures.p99 = quantile(widths, .99);
  return figures;
}

BrokenFigures try_broken(const Scenario& scenario, const std::vector<std::string>& wanted, int moments) {
  const SimulatedRun run{scenario};
  const ClockTrial trial{run, ClockModel::meridian};
  const BoundFigures t1 = bounds(run, trial.clocks, BoundLevel::t1, moments);
  BrokenFigures figures{t1.points, t1.outside, t1.uncertified, false, trial.is_split ? "split" : ""};
  figures.is_said = wanted.empty() && (t1.uncertified == 0 || trial.is_split || !trial.clocks.findings.empty());
  for (const Finding& one : trial.clocks.findings) {
    figures.findings += (figures.findings.empty() ? "" : " ") + one.name;
    figures.is_said |= std::ranges::find(wanted, one.name) != wanted.end();
  }
  return figures;
}

double worst_distortion(const SimulatedRun& run, const Clocks& clocks, double ppm) {
  double worst = 0;
  const int per_host = run.scenario.ranks_per_host;
  std::size_t reference = 0;
  while (clocks.domain_of[reference] != clocks.reference) ++reference;
  const auto home = static_cast<std::size_t>(run.host_of(static_cast<int>(reference)));
  for (int i = 0; i < 400; ++i) {
    const double t = run.begin_s + .1 + (run.end_s - run.begin_s - 1.3) * i / 400;
    for (const double length : {1e-3, 1e-2, 1e-1, 1.0})
      for (int h = 0; h < run.scenario.hosts; ++h) {
        const auto rank = static_cast<std::size_t>(h * per_host);
        const SimulatedClock &own = run.clocks[static_cast<std::size_t>(h)], &other = run.clocks[home];
        const auto here =
            clocks.maps[rank].to_global(own.ticks(t + length)) - clocks.maps[rank].to_global(own.ticks(t));
        const auto there = clocks.maps[reference].to_global(other.ticks(t + length)) -
                           clocks.maps[reference].to_global(other.ticks(t));
        worst = std::max(worst, std::abs(static_cast<double>(here - there)) - ppm * 1e-6 * length * kNs);
      }
  }
  return worst;
}

}  // namespace meridian::test
