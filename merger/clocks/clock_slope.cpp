#include "merger/clocks/clock_slope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "merger/clocks/clock_spare.hpp"

namespace meridian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The time that a pair covers is looked at in so many parts, and the constraint with the least to spare is looked for
/// in so many of them at either end.
constexpr std::size_t kParts = 64;
constexpr std::ptrdiff_t kLooked[] = {32, 16, 4, 1};

/// What the messages between two domains have to spare.
class PairSlope {
 public:
  void add(double sent_ns, double slack_ns, bool is_forth) {
    sides_[is_forth ? 0 : 1].push_back({sent_ns, slack_ns});
    begin_ns_ = std::min(begin_ns_, sent_ns);
    end_ns_ = std::max(end_ns_, sent_ns);
  }

  /// How far the slope of one clock's correction against the other's can be from the true one.
  double doubt() const {
    if (sides_[0].empty() || sides_[1].empty()) return kInfinity;
    const std::array<Parts, 2> least{least_of_parts(sides_[0]), least_of_parts(sides_[1])};
    double up = kInfinity, down = kInfinity;
    for (const std::ptrdiff_t looked : kLooked) {
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
  struct Spare {
    double time_ns = 0;
    double slack_ns = kInfinity;
    bool operator<(const Spare& other) const { return slack_ns < other.slack_ns; }
  };
  using Parts = std::array<Spare, kParts>;

  Parts least_of_parts(const std::vector<Spare>& side) const {
    Parts parts{};
    const double scale = end_ns_ > begin_ns_ ? static_cast<double>(kParts) / (end_ns_ - begin_ns_) : 0;
    for (const Spare& one : side) {
      Spare& least = parts[std::min(kParts - 1, static_cast<std::size_t>((one.time_ns - begin_ns_) * scale))];
      if (one < least) least = one;
    }
    return parts;
  }
  static double between(const Spare& first, const Spare& last) {
    const double time = last.time_ns - first.time_ns;
    return time > 0 ? (std::max(0.0, first.slack_ns) + std::max(0.0, last.slack_ns)) / time : kInfinity;
  }

  std::vector<Spare> sides_[2];
  double begin_ns_ = kInfinity, end_ns_ = -kInfinity;
};

struct Step {
  std::size_t to = 0;
  double doubt = 0;
};

/// One side of a collective waits for the other: last enter of `from`, first exit of `to`.
void add_wait(const CollectiveSide& from, const CollectiveSide& to, const ClockResidual& residual, bool is_forth,
              PairSlope& slope) {
  if (residual.is_blind_at(from.domain, static_cast<double>(from.last_enter_ns)) ||
      residual.is_blind_at(to.domain, static_cast<double>(to.first_exit_ns)))
    return;
  const double sent = residual.shifted(from.domain, static_cast<double>(from.last_enter_ns));
  const double received = residual.shifted(to.domain, static_cast<double>(to.first_exit_ns));
  slope.add(sent, received + residual.at(to.domain, received) - (sent + residual.at(from.domain, sent)), is_forth);
}

/// [domains]: of collectives, each domain against the reference.
std::vector<PairSlope> collective_slopes(const ClockSamples& samples, const ClockResidual& residual,
                                         std::size_t reference) {
  std::vector<PairSlope> slopes(residual.domains);
  for (const std::vector<CollectiveSide>& sides : samples.collectives()) {
    const auto own = std::ranges::find(sides, reference, &CollectiveSide::domain);
    if (own == sides.end()) continue;
    for (const CollectiveSide& side : sides) {
      if (side.domain == reference) continue;
      add_wait(*own, side, residual, true, slopes[side.domain]);
      add_wait(side, *own, residual, false, slopes[side.domain]);
    }
  }
  return slopes;
}

}  // namespace

std::vector<double> slope_doubts(const ClockSamples& samples, const ClockResidual& residual, std::size_t reference) {
  std::vector<std::vector<Step>> steps(residual.domains);
  const auto connect = [&](std::size_t a, std::size_t b, double doubt) {
    if (!std::isfinite(doubt)) return;
    steps[a].push_back({b, doubt});
    steps[b].push_back({a, doubt});
  };
  for (const PairSamples& pair : samples.pairs()) {
    PairSlope slope;
    for (int direction = 0; direction < 2; ++direction) {
      ClockSpare spare{residual, pair.from(direction), pair.to(direction)};
      for (const ClockPoint& point : pair.sides[direction].points()) {
        const ClockSpare::Message one = spare(point);
        slope.add(one.sent_ns, one.slack_ns, direction == 0);
      }
    }
    connect(pair.low, pair.high, slope.doubt());
  }
  const std::vector<PairSlope> collectives = collective_slopes(samples, residual, reference);
  for (std::size_t h = 0; h < residual.domains; ++h) connect(reference, h, collectives[h].doubt());

  std::vector<double> doubts(residual.domains, kInfinity);
  using Item = std::pair<double, std::size_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  doubts[reference] = 0;
  queue.emplace(0.0, reference);
  while (!queue.empty()) {
    const auto [doubt, domain] = queue.top();
    queue.pop();
    if (doubt > doubts[domain]) continue;
    for (const Step& step : steps[domain]) {
      if (doubt + step.doubt >= doubts[step.to]) continue;
      doubts[step.to] = doubt + step.doubt;
      queue.emplace(doubts[step.to], step.to);
    }
  }
  return doubts;
}

}  // namespace meridian
