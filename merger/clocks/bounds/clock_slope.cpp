// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/bounds/clock_slope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/shortest_paths.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// The slack of the messages between two domains, over corrected time: the first lines of domains that no exchanges connect may be
/// seconds apart.
class PairSlope {
 public:
  void add(double sent_ns, double slack_ns, bool is_forth) {
    sides_[is_forth ? 0 : 1].push_back({sent_ns, slack_ns});
    begin_ns_ = std::min(begin_ns_, sent_ns);
    end_ns_ = std::max(end_ns_, sent_ns);
  }

  /// How far the fitted slope of one clock against the other can be from the true one. The pair's time is divided into
  /// parts; long distances and quick messages exclude each other, so several numbers of parts at either end are tried.
  double doubt() const {
    if (sides_[0].empty() || sides_[1].empty()) return kInfinity;
    const std::array<Parts, 2> least{least_of_parts(sides_[0]), least_of_parts(sides_[1])};
    double up = kInfinity, down = kInfinity;
    for (const std::ptrdiff_t looked : ClockTuning::kSlopeLooked) {
      const auto first = [&](std::size_t side) {
        return *std::min_element(least[side].begin(), least[side].begin() + looked);
      };
      const auto last = [&](std::size_t side) {
        return *std::min_element(least[side].end() - looked, least[side].end());
      };
      up = std::min(up, between(first(0), last(1)));
      down = std::min(down, between(first(1), last(0)));
    }
    return std::max(up, down);
  }

 private:
  struct Slack {
    double time_ns = 0;
    double slack_ns = kInfinity;
    bool operator<(const Slack& other) const { return slack_ns < other.slack_ns; }
  };
  using Parts = std::array<Slack, ClockTuning::kSlopeParts>;

  Parts least_of_parts(const std::vector<Slack>& side) const {
    Parts parts{};
    const double scale =
        end_ns_ > begin_ns_ ? static_cast<double>(ClockTuning::kSlopeParts) / (end_ns_ - begin_ns_) : 0;
    for (const Slack& one : side) {
      Slack& least =
          parts[std::min(ClockTuning::kSlopeParts - 1, static_cast<std::size_t>((one.time_ns - begin_ns_) * scale))];
      if (one < least) least = one;
    }
    return parts;
  }
  static double between(const Slack& first, const Slack& last) {
    const double time = last.time_ns - first.time_ns;
    return time > 0 ? (std::max(0.0, first.slack_ns) + std::max(0.0, last.slack_ns)) / time : kInfinity;
  }

  std::vector<Slack> sides_[2];
  double begin_ns_ = kInfinity, end_ns_ = -kInfinity;
};

struct Link {
  std::uint32_t to = 0;
  double doubt = 0;
};

/// Adds the wait of one domain for another in a collective.
void add_wait(const CollectiveSide& from, const CollectiveSide& to, const ClockCorrection& correction, bool is_forth,
              PairSlope& slope) {
  if (correction.is_ambiguous_at(from.domain, static_cast<double>(from.last_enter_ns)) ||
      correction.is_ambiguous_at(to.domain, static_cast<double>(to.first_exit_ns)))
    return;
  const double enter = correction.shifted(from.domain, static_cast<double>(from.last_enter_ns));
  const double exit = correction.shifted(to.domain, static_cast<double>(to.first_exit_ns));
  slope.add(enter + correction.at(from.domain, enter),
            wait_between(from.domain, enter, to.domain, exit, correction).slack_ns, is_forth);
}

/// [domains]: each domain against the reference, from collectives.
std::vector<PairSlope> collective_slopes(const ClockSamples& samples, const ClockCorrection& correction,
                                         std::size_t reference) {
  std::vector<PairSlope> slopes(correction.domains);
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    const auto own = std::ranges::find(sides, reference, &CollectiveSide::domain);
    if (own == sides.end()) continue;
    for (const CollectiveSide& side : sides) {
      if (side.domain == reference) continue;
      add_wait(*own, side, correction, true, slopes[side.domain]);
      add_wait(side, *own, correction, false, slopes[side.domain]);
    }
  }
  return slopes;
}

}  // namespace

std::vector<double> slope_doubts(const ClockSamples& samples, const ClockCorrection& correction,
                                 std::size_t reference) {
  std::vector<std::vector<Link>> links(correction.domains);
  const auto connect = [&](std::uint32_t a, std::uint32_t b, double doubt) {
    if (!std::isfinite(doubt)) return;
    links[a].push_back({b, doubt});
    links[b].push_back({a, doubt});
  };
  for (const PairSamples& pair : samples.pairs()) {
    PairSlope slope;
    for (const int direction : {0, 1})
      for_each_message(pair, direction, correction, [&](const ClockConstraint& one, const ClockPoint&) {
        slope.add(one.sent_ns + correction.at(one.from, one.sent_ns), one.slack_ns, direction == 0);
      });
    connect(pair.low, pair.high, slope.doubt());
  }
  const std::vector<PairSlope> collectives = collective_slopes(samples, correction, reference);
  const auto root = static_cast<std::uint32_t>(reference);
  for (std::uint32_t h = 0; h < correction.domains; ++h) connect(root, h, collectives[h].doubt());

  std::vector<double> doubts(correction.domains, kInfinity);
  doubts[reference] = 0;
  shortest_paths(
      doubts, {&root, 1}, [](std::uint32_t) {},
      [&](std::uint32_t domain, auto&& reach) {
        for (const Link& link : links[domain]) reach(link.to, doubts[domain] + link.doubt);
      });
  return doubts;
}

}  // namespace meridian
