// Which samples bind the clocks.

#include <algorithm>
#include <cmath>
#include <limits>

#include "merger/clocks/clock_fit.hpp"
#include "merger/clocks/clock_spare.hpp"

namespace meridian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNoWindow = std::numeric_limits<std::uint32_t>::max();

/// The other end of a constraint by a collective: nobody leaves before the last has entered.
struct LastEnter {
  std::uint32_t domain = 0;
  double shifted_ns = 0;
  double corrected_ns = -kInfinity;
};

LastEnter last_enter(const std::vector<CollectiveSide>& sides, const ClockResidual& residual) {
  LastEnter last;
  for (const CollectiveSide& side : sides) {
    const auto raw = static_cast<double>(side.last_enter_ns);
    if (residual.is_blind_at(side.domain, raw)) continue;  // that the others entered holds without it
    const double shifted = residual.shifted(side.domain, raw);
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
      if (side.domain == last.domain || last.corrected_ns == -kInfinity) continue;
      if (residual.is_blind_at(side.domain, static_cast<double>(side.first_exit_ns))) continue;
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

std::vector<ClockTight> find_tight(const ClockSamples& samples, const ClockResidual& residual, std::size_t group) {
  std::vector<ClockTight> tight;
  const auto length = static_cast<std::uint32_t>(group);
  for (std::uint32_t e = 0; e < samples.pairs().size(); ++e) {
    const PairSamples& pair = samples.pairs()[e];
    ClockSpare spares[2] = {{residual, pair.low, pair.high}, {residual, pair.high, pair.low}};
    std::span<const ClockCell> left[2] = {pair.sides[0].cells(), pair.sides[1].cells()};  // that are still to come
    while (!left[0].empty() || !left[1].empty()) {
      std::uint32_t window = kNoWindow;
      for (const auto& cells : left)
        if (!cells.empty()) window = std::min(window, cells.front().window);
      window /= length;
      const std::uint32_t end = (window + 1) * length;
      for (int direction = 0; direction < 2; ++direction) {
        const ClockCells& side = pair.sides[direction];
        ClockSpare& spare = spares[direction];
        ClockSpare::Message best{0, 0, kInfinity};
        auto& cells = left[direction];
        for (; !cells.empty() && cells.front().window < end; cells = cells.subspan(1))
          for (const ClockPoint& point : side.points(cells.front()))
            if (const auto one = spare(point); one.slack_ns < best.slack_ns) best = one;
        if (best.slack_ns == kInfinity) continue;
        tight.push_back(
            {pair.from(direction), pair.to(direction), e, best.sent_ns, best.received_ns, window, best.slack_ns});
      }
    }
  }
  add_collectives(samples, residual, group, tight);
  return tight;
}

std::uint64_t count_infeasible(const ClockSamples& samples, const ClockResidual& residual) {
  std::uint64_t count = 0;
  for (const PairSamples& pair : samples.pairs())
    for (int direction = 0; direction < 2; ++direction) {
      ClockSpare spare{residual, pair.from(direction), pair.to(direction)};
      for (const ClockPoint& point : pair.sides[direction].points()) count += spare(point).slack_ns <= 0;
    }
  return count;
}

namespace {

/// Calls visit(what a constraint has to spare) for every point and every collective; it says whether it moved knots.
template <class Visit>
void for_each_constraint(const ClockSamples& samples, const ClockResidual& residual, Visit&& visit) {
  for (const PairSamples& pair : samples.pairs())
    for (int direction = 0; direction < 2; ++direction) {
      const std::uint32_t from = pair.from(direction), to = pair.to(direction);
      ClockSpare spare{residual, from, to};
      for (const ClockPoint& point : pair.sides[direction].points()) {
        const ClockSpare::Message one = spare(point);
        if (visit({from, to, 0, one.sent_ns, one.received_ns, 0, one.slack_ns})) spare.forget();
      }
    }
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    const LastEnter last = last_enter(sides, residual);
    for (const CollectiveSide& side : sides) {
      if (side.domain == last.domain || last.corrected_ns == -kInfinity) continue;
      if (residual.is_blind_at(side.domain, static_cast<double>(side.first_exit_ns))) continue;
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
      if (one.slack_ns >= margin_ns) return false;
      if (one.slack_ns < -most_ns) {
        ++hopeless;
        return false;
      }
      ++missing;
      if (sweep < kSweeps) satisfy(residual, reference, one, 2 * margin_ns - one.slack_ns);
      return true;
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
