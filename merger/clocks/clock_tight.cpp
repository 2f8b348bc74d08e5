// Which samples bind the clocks.

#include <algorithm>
#include <cmath>
#include <limits>

#include "merger/clocks/clock_fit.hpp"

namespace meridian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The other end of a constraint by a collective: nobody leaves before the last has entered.
struct LastEnter {
  std::uint32_t domain = 0;
  double shifted_ns = 0;
  double corrected_ns = -kInfinity;
};

LastEnter last_enter(const std::vector<CollectiveSide>& sides, const ClockResidual& residual) {
  LastEnter last;
  for (const CollectiveSide& side : sides) {
    const double shifted = residual.shifted(side.domain, static_cast<double>(side.last_enter_ns));
    const double corrected = shifted + residual.at(side.domain, shifted);
    if (corrected > last.corrected_ns) last = {side.domain, shifted, corrected};
  }
  return last;
}

void add_collectives(const ClockSamples& samples, const ClockResidual& residual, std::size_t group,
                     std::vector<ClockTight>& tight) {
  const auto latency = static_cast<std::uint32_t>(samples.pairs().size());
  const double length = static_cast<double>(group) * static_cast<double>(samples.window_ns());
  std::vector<ClockTight> best(residual.domains);  // of the present group, by the domain that leaves
  std::uint32_t present = 0;
  const auto flush = [&] {
    for (ClockTight& one : best)
      if (one.slack_ns < kInfinity) tight.push_back(one);
    for (ClockTight& one : best) one.slack_ns = kInfinity;
  };
  for (ClockTight& one : best) one.slack_ns = kInfinity;
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    const LastEnter last = last_enter(sides, residual);
    const double since = std::max(0.0, last.shifted_ns - static_cast<double>(samples.origin_ns()));
    const auto window = static_cast<std::uint32_t>(since / length);
    if (window != present) flush();
    present = window;
    for (const CollectiveSide& side : sides) {
      if (side.domain == last.domain) continue;
      ClockTight one;
      one.from = last.domain;
      one.to = side.domain;
      one.latency = latency;
      one.window = window;
      one.sent_ns = last.shifted_ns;
      one.received_ns = residual.shifted(side.domain, static_cast<double>(side.first_exit_ns));
      one.slack_ns = one.received_ns + residual.at(side.domain, one.received_ns) - last.corrected_ns;
      if (one.slack_ns < best[side.domain].slack_ns) best[side.domain] = one;
    }
  }
  flush();
}

/// Moves the four knots around a constraint the least that makes it hold; the reference stays.
void satisfy(ClockResidual& residual, std::size_t reference, const ClockTight& one, double missing_ns) {
  const auto to = residual.place(one.received_ns), from = residual.place(one.sent_ns);
  const double to_left = one.to == reference ? 0 : 1 - to.share, to_right = one.to == reference ? 0 : to.share;
  const double from_left = one.from == reference ? 0 : 1 - from.share;
  const double from_right = one.from == reference ? 0 : from.share;
  const double norm = to_left * to_left + to_right * to_right + from_left * from_left + from_right * from_right;
  if (norm <= 0) return;
  const double step = missing_ns / norm;
  residual.knot(one.to, to.index) += step * to_left;
  residual.knot(one.to, to.index + 1) += step * to_right;
  residual.knot(one.from, from.index) -= step * from_left;
  residual.knot(one.from, from.index + 1) -= step * from_right;
}

}  // namespace

ClockTight measure(const ClockPoint& point, std::uint32_t from, std::uint32_t to, const ClockResidual& residual) {
  ClockTight one;
  one.from = from;
  one.to = to;
  one.sent_ns = residual.shifted(from, static_cast<double>(point.sent_ns));
  one.received_ns = residual.shifted(to, static_cast<double>(point.sent_ns + point.delay_ns));
  one.slack_ns = one.received_ns - one.sent_ns + (residual.at(to, one.received_ns) - residual.at(from, one.sent_ns));
  return one;
}

std::vector<ClockTight> find_tight(const ClockSamples& samples, const ClockResidual& residual, std::size_t group) {
  std::vector<ClockTight> tight;
  for (std::uint32_t e = 0; e < samples.pairs().size(); ++e) {
    const PairSamples& pair = samples.pairs()[e];
    const std::size_t windows = std::max(pair.cells[0].size(), pair.cells[1].size());
    for (std::size_t first = 0; first < windows; first += group)
      for (int direction = 0; direction < 2; ++direction) {
        const auto& cells = pair.cells[direction];
        ClockTight best;
        best.slack_ns = kInfinity;
        for (std::size_t w = first; w < std::min(first + group, cells.size()); ++w)
          for (const ClockPoint& point : cells[w].points()) {
            const ClockTight one = measure(point, pair.from(direction), pair.to(direction), residual);
            if (one.slack_ns < best.slack_ns) best = one;
          }
        if (best.slack_ns == kInfinity) continue;
        best.latency = e;
        best.window = static_cast<std::uint32_t>(first / group);
        tight.push_back(best);
      }
  }
  add_collectives(samples, residual, group, tight);
  return tight;
}

std::uint64_t count_infeasible(const ClockSamples& samples, const ClockResidual& residual) {
  std::uint64_t count = 0;
  for (const PairSamples& pair : samples.pairs())
    for (int direction = 0; direction < 2; ++direction)
      for (const ClockCell& cell : pair.cells[direction])
        for (const ClockPoint& point : cell.points())
          if (measure(point, pair.from(direction), pair.to(direction), residual).slack_ns <= 0) ++count;
  return count;
}

namespace {

/// Calls visit(what a constraint has to spare) for every point and every collective.
template <class Visit>
void for_each_constraint(const ClockSamples& samples, const ClockResidual& residual, Visit&& visit) {
  for (const PairSamples& pair : samples.pairs())
    for (int direction = 0; direction < 2; ++direction)
      for (const ClockCell& cell : pair.cells[direction])
        for (const ClockPoint& point : cell.points())
          visit(measure(point, pair.from(direction), pair.to(direction), residual));
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    const LastEnter last = last_enter(sides, residual);
    for (const CollectiveSide& side : sides) {
      if (side.domain == last.domain) continue;
      ClockTight one;
      one.from = last.domain;
      one.to = side.domain;
      one.sent_ns = last.shifted_ns;
      one.received_ns = residual.shifted(side.domain, static_cast<double>(side.first_exit_ns));
      one.slack_ns = one.received_ns + residual.at(side.domain, one.received_ns) -
                     (last.shifted_ns + residual.at(last.domain, last.shifted_ns));
      visit(one);
    }
  }
}

}  // namespace

std::uint64_t make_feasible(const ClockSamples& samples, ClockResidual& residual, std::size_t reference,
                            double margin_ns, double most_ns) {
  constexpr int kSweeps = 60;
  const ClockResidual before = residual;
  std::uint64_t reversed = 0, missing = 0;
  for (int sweep = 0; sweep <= kSweeps; ++sweep) {
    missing = 0;
    std::uint64_t hopeless = 0;
    for_each_constraint(samples, residual, [&](const ClockTight& one) {
      if (one.slack_ns >= margin_ns) return;
      if (one.slack_ns < -most_ns) {
        ++hopeless;
        return;
      }
      ++missing;
      if (sweep < kSweeps) satisfy(residual, reference, one, 2 * margin_ns - one.slack_ns);
    });
    if (sweep == 0) reversed = missing + hopeless;
    if (missing == 0) return hopeless;
    missing += hopeless;
  }
  // Constraints that contradict each other push the clocks apart: better those that the fit found.
  double farthest = 0;
  for (std::size_t i = 0; i < residual.z.size(); ++i)
    farthest = std::max(farthest, std::abs(residual.z[i] - before.z[i]));
  if (farthest <= most_ns && missing <= reversed) return missing;
  residual = before;
  return reversed;
}

}  // namespace meridian
