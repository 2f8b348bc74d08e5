#include "merger/clocks/clock_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "merger/clocks/clock_corridor.hpp"
#include "merger/clocks/clock_system.hpp"

namespace meridian {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnknownLatencyNs = 1000;
constexpr double kLongestStepNs = 60 * kNsPerSecond;
constexpr double kWanderNs = 3;        // of an oscillator, from one second to the next
constexpr double kLastingSeconds = 2;  // for which it goes on as it did
constexpr double kFinestScale = 0.03;  // of the latency
constexpr double kSmallestScaleNs = 5;
constexpr double kPriorDoubt = 0.3;       // of the latency
constexpr double kCollectiveDoubt = 0.1;  // of the latency: how far collectives that are alike differ at least
constexpr double kOtherClass = 1.5;       // a pair this much slower than usual was never tight both ways
constexpr double kFar = 30;               // scales: beyond, a late message says nothing at all
constexpr double kFarBelow = 0.5;         // of a round trip: clocks that are not right yet
constexpr double kStraight = 0.05;        // of the latency
constexpr double kStraightNs = 50;        // slow links do not make clocks straighter
constexpr double kMarginNs = 2;           // for integers: two roundings
constexpr double kFarthest = 16;          // corrections, as a multiple of the most that a sample asks for
// Of the energy norm, squared. What others start from need not be exact; rougher, a thousand domains stay where their
// neighbours were.
constexpr double kExact = 1e-9, kRough = 1e-5;
constexpr int kMostRounds = 6;
constexpr int kMostJumps = 8;

double median(std::vector<double>& values, double otherwise) {
  if (values.empty()) return otherwise;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Knots are no finer than the messages of a usual direction: two of them to a step, and a second; where they
/// mostly go one way, four of them, and two seconds. The ends of the run, where round trips crowd, do not count.
std::size_t windows_per_step(const ClockSamples& samples, double segment_ns) {
  const auto window = static_cast<double>(samples.window_ns());
  if (segment_ns > 0) return static_cast<std::size_t>(std::max(1.0, std::round(segment_ns / window)));
  const double span = static_cast<double>(samples.end_ns() - samples.begin_ns());
  std::vector<double> counts;
  std::size_t both_ways = 0, one_way = 0;
  const auto ends = static_cast<std::size_t>(std::max(2.0, kNsPerSecond / window));
  const auto windows = static_cast<std::size_t>(span / window) + 2;
  for (const PairSamples& pair : samples.pairs()) {
    int directions = 0;
    for (const ClockCells& side : pair.sides) {
      double count = 0;
      for (const ClockCell& cell : side.cells())
        if (cell.window > ends && cell.window + ends < windows) count += static_cast<double>(cell.messages);
      if (count == 0) continue;
      counts.push_back(count);
      ++directions;
    }
    both_ways += directions == 2;
    one_way += directions == 1;
  }
  double step = kNsPerSecond;  // round trips alone
  if (!counts.empty()) {
    const bool is_two_way = both_ways > one_way;
    const double gap = span / median(counts, 1);
    step = is_two_way ? std::max(kNsPerSecond, 2 * gap) : std::max(2 * kNsPerSecond, 4 * gap);
    step = std::min(step, kLongestStepNs);
  }
  return static_cast<std::size_t>(std::max(1.0, std::round(step / window)));
}

class Fit {
 public:
  Fit(const ClockSamples& samples, const ClockResidual& initial, const ClockFitSettings& settings)
      : samples_{samples},
        reference_{settings.reference},
        group_{windows_per_step(samples, settings.segment_ns)},
        residual_{initial},
        latencies_(samples.pairs().size() + 1, kUnset) {
    // Around steps there is no bound for some knots.
    if (initial.has_jumps() && settings.segment_ns == 0) group_ = std::max<std::size_t>(1, group_ / 2);
    for (const double z : initial.z) initial_size_ = std::max(initial_size_, std::abs(z));
    if (initial_size_ != 0) return;  // times of two domains may be far apart
    for (const PairSamples& pair : samples.pairs()) halves_.push_back(least_round_trip(pair) / 2);
  }

  ClockFitResult run() {
    for (const std::size_t level : {std::size_t{8}, std::size_t{2}, std::size_t{1}}) solve_level(level, 0);
    refine(find_jumps());
    prefer_lines();
    const std::uint64_t infeasible = make_feasible(samples_, residual_, reference_, kMarginNs, typical_);
    return {std::move(residual_), latencies_, typical_, infeasible};
  }

 private:
  static constexpr double kUnset = -1;

  /// Where messages are still reversed, knots may be too far apart for how sharply a clock was slewed.
  void refine(std::uint64_t reversed) {
    for (; group_ > 1 && reversed != 0; reversed = count_infeasible(samples_, residual_)) {
      group_ /= 2;
      solve_level(1, 4);
    }
  }

  /// Clocks that do not bend by more than the fit's own doubt are best left to their round trips.
  void prefer_lines() {
    if (initial_size_ != 0) return;
    double largest = 0;
    for (const double z : residual_.z) largest = std::max(largest, std::abs(z));
    if (!residual_.has_jumps() && largest < std::min(kStraight * typical_, kStraightNs))
      std::ranges::fill(residual_.z, 0.0);
  }

  /// A jump is kept if the fit becomes better by it. Returns how many messages are still reversed.
  std::uint64_t find_jumps() {
    std::uint64_t reversed = count_infeasible(samples_, residual_);
    for (int i = 0; i < kMostJumps && reversed != 0; ++i) {
      const ClockResidual before = residual_;
      const std::vector<double> latencies = latencies_;
      if (!add_jump(samples_, residual_, reference_, typical_)) break;
      solve_level(1, 4);
      const std::uint64_t left = count_infeasible(samples_, residual_);
      if (left >= reversed) {
        residual_ = before;
        latencies_ = latencies;
        break;
      }
      reversed = left;
    }
    return reversed;
  }

  /// Knots of a level, and the correction so far on them.
  void set_knots(std::size_t windows) {
    const double step = static_cast<double>(windows) * static_cast<double>(samples_.window_ns());
    const auto origin = static_cast<double>(samples_.origin_ns());
    const double span = static_cast<double>(samples_.end_ns()) - origin + residual_.longest_beyond();
    residual_ = residual_.resampled(origin - step, step, static_cast<std::size_t>(std::ceil(span / step)) + 3);
  }

  void solve_level(std::size_t level, int first_round) {
    const std::size_t group = group_ * level;
    set_knots(group);
    const bool is_finest = level == 1;
    const int rounds = is_finest ? kMostRounds : 1;
    std::uint64_t reversed = std::numeric_limits<std::uint64_t>::max();
    for (int round = first_round; round < rounds; ++round) {
      if (round >= 2 && round > first_round) {
        const std::uint64_t left = count_infeasible(samples_, residual_);
        if (left == 0 || left > reversed / 2) break;  // more of the same will not help
        reversed = left;
      }
      std::vector<ClockTight> tight = find_tight(samples_, residual_, group);
      set_latencies(tight);
      ClockSystem system = make_system(tight);
      tight = {};  // rows take as much
      std::vector<double> scales;
      const double l = typical_, fine = std::max(kSmallestScaleNs, kFinestScale * l);
      if (level == 8)
        scales = {20 * l, 5 * l, 2 * l, .6 * l, .2 * l, .06 * l, fine};
      else if (round == 0)
        scales = {2 * l, .5 * l, .15 * l, fine, fine};
      else if (round == 1)
        scales = {.2 * l, fine, fine, fine};
      else
        scales = {5 * l, l, .2 * l, fine, fine, fine};
      for (std::size_t i = 0; i < scales.size(); ++i) {
        const bool is_last = i + 1 == scales.size();
        set_weights(system, std::max(scales[i], fine), i + 2 >= scales.size());
        set_bends(system, std::max(scales[i], fine), fine, level == 8 && i == 0, is_finest && i + 3 >= scales.size());
        const bool is_end = is_last && round > 0;
        system.solve(is_end ? kExact : kRough, is_end ? 600 : 250);
      }
      if (!is_sane(system)) return;
      std::copy_n(system.x.begin(), residual_.z.size(), residual_.z.begin());
      for (std::size_t e = 0; e < latencies_.size(); ++e) latencies_[e] = system.latency(e);
    }
  }

  /// Whether corrections are of a size that anything asked for. Samples that contradict each other by seconds can bring
  /// the system to its limits; what was found before is better then.
  bool is_sane(const ClockSystem& system) const {
    double largest = typical_, asked = typical_;
    for (const double z : residual_.z) asked = std::max(asked, std::abs(z));
    for (const ClockRow& row : system.rows) asked = std::max(asked, std::abs(row.value));
    for (const double x : system.x) {
      if (!std::isfinite(x)) return false;
      largest = std::max(largest, std::abs(x));
    }
    return largest <= kFarthest * asked;
  }

  /// Priors: half of a pair's smallest round trip, of the clocks as they are corrected so far; where these make it much
  /// too small, of what it is without them. A pair that is much slower than others probably never had a quick message
  /// each way; others speak for it then.
  void set_latencies(const std::vector<ClockTight>& tight) {
    const std::size_t pairs = samples_.pairs().size();
    priors_.assign(pairs + 1, kUnset);
    std::size_t i = 0;
    for (; i < tight.size() && tight[i].latency < pairs; ++i) {
      // Both directions of a pair's window follow one another.
      const ClockTight& one = tight[i];
      if (i + 1 == tight.size()) continue;
      const ClockTight& other = tight[i + 1];
      const bool is_round_trip = other.latency == one.latency && other.from == one.to && other.window == one.window;
      if (!is_round_trip) continue;
      const double half = (one.slack_ns + other.slack_ns) / 2;
      double& prior = priors_[one.latency];
      if (prior == kUnset || half < prior) prior = half;
    }
    for (std::size_t e = 0; e < pairs; ++e) {
      const double half = halves_.empty() ? kInfinity : halves_[e];
      if (std::isfinite(half) && priors_[e] < kFarBelow * half) priors_[e] = half;
    }
    typical_ = std::max(1.0, usual_latency(samples_, priors_, kUnknownLatencyNs));
    for (std::size_t e = 0; e < pairs; ++e) {
      if (latencies_[e] == kUnset) latencies_[e] = priors_[e];
      if (priors_[e] > kOtherClass * typical_) priors_[e] = kUnset;
      if (latencies_[e] < 0 || latencies_[e] > kOtherClass * typical_)
        latencies_[e] = priors_[e] == kUnset ? typical_ : priors_[e];
      if (priors_[e] == kUnset) priors_[e] = typical_;
    }
    if (latencies_[pairs] == kUnset) {
      double least = kInfinity;
      for (std::size_t c = i; c < tight.size(); ++c) least = std::min(least, tight[c].slack_ns);
      latencies_[pairs] = std::isfinite(least) ? std::max(least, typical_) : typical_;
    }
    priors_[pairs] = latencies_[pairs];
  }

  ClockSystem make_system(const std::vector<ClockTight>& tight) const {
    ClockSystem system{residual_.domains, residual_.knots, reference_};
    system.x = residual_.z;
    system.home = residual_.z;
    system.x.insert(system.x.end(), latencies_.begin(), latencies_.end());
    system.priors = priors_;
    system.stiffness = 1 / (kPriorDoubt * typical_ * kPriorDoubt * typical_);
    system.rows.reserve(tight.size());
    for (const ClockTight& one : tight) {
      const auto to = residual_.place(one.received_ns), from = residual_.place(one.sent_ns);
      ClockRow row;
      row.to = static_cast<std::uint32_t>(one.to * residual_.knots + to.index);
      row.from = static_cast<std::uint32_t>(one.from * residual_.knots + from.index);
      row.to_share = static_cast<float>(to.share);
      row.from_share = static_cast<float>(from.share);
      row.latency = one.latency;
      row.is_collective = one.latency == priors_.size() - 1;
      row.value = one.sent_ns - one.received_ns;
      system.rows.push_back(row);
    }
    return system;
  }

  void set_weights(ClockSystem& system, double scale, bool is_redescending) const {
    for (ClockRow& row : system.rows) {
      const double q = row.difference(system.x) - row.value - system.latency(row.latency);
      const double s = row.is_collective ? scale + kCollectiveDoubt * typical_ : scale;
      // Who is always behind takes all messages late, and those would pull forever.
      if (q > 0)
        row.weight = 1 / (s * s + (is_redescending ? q * q : s * q + q * q / kFar));
      else
        row.weight = row.is_collective && -q > 5 * s ? 5 / (s * -q) : 1 / (s * s);
    }
  }

  /// Oscillators bend little and seldom: the prior of second differences has heavy tails.
  void set_bends(ClockSystem& system, double scale, double finest, bool is_first, bool is_redescending) const {
    const double seconds = residual_.step_ns / kNsPerSecond;
    // What warms up and cools down goes on as it did, for some seconds; over longer times rates walk.
    const double lasting = std::min(seconds, kLastingSeconds);
    const double least = kWanderNs * lasting * lasting * std::pow(seconds / lasting, 1.5);
    double sigma = std::max(least, std::min(3000.0, scale) * std::min(1.0, seconds) * 0.3);
    if (scale <= finest * 1.01) sigma = least;
    const std::size_t n = residual_.knots;
    std::vector<double> size(n);
    for (std::size_t h = 0; h < residual_.domains; ++h) {
      const double* const z = &system.x[h * n];
      for (std::size_t k = 1; k + 1 < n; ++k) size[k] = std::abs(z[k - 1] - 2 * z[k] + z[k + 1]);
      for (std::size_t k = 1; k + 1 < n; ++k) {
        const double d = is_first ? 0 : std::max({size[k], size[k - 1] / 2, k + 2 < n ? size[k + 1] / 2 : 0});
        system.bends[h * n + k] = is_redescending ? 1 / (sigma * sigma + d * d / 4) : 1 / (sigma * sigma + sigma * d);
      }
    }
  }

  const ClockSamples& samples_;
  std::size_t reference_;
  std::size_t group_;  // windows between the finest knots
  ClockResidual residual_;
  std::vector<double> latencies_, priors_;
  std::vector<double> halves_;  // [pairs] of the least round trips; none where times are not comparable
  double typical_ = kUnknownLatencyNs;
  double initial_size_ = 0;  // of the correction to begin with
};

}  // namespace

ClockFitResult fit_residual(const ClockSamples& samples, const ClockResidual& initial,
                            const ClockFitSettings& settings) {
  return Fit{samples, initial, settings}.run();
}

}  // namespace meridian
