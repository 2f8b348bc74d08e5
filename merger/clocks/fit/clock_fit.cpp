// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "merger/clocks/fit/clock_system.hpp"
#include "merger/clocks/fit/make_feasible.hpp"
#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/clock_latency.hpp"
#include "merger/clocks/samples/clock_meetings.hpp"
#include "merger/clocks/samples/median.hpp"
#include "merger/clocks/steps/step_at_bend.hpp"
#include "merger/model/clock_tuning.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

class Fit {
 public:
  Fit(const ClockSamples& samples, const ClockCorrection& initial, const ClockFitSettings& settings)
      : samples_{samples},
        reference_{settings.reference},
        held_out_{settings.held_out},
        group_{windows_per_knot(samples, settings.segment_ns)},
        asked_{group_},
        is_spacing_free_{settings.segment_ns == 0},
        correction_{initial},
        latencies_(samples.pairs().size() + 1, kUnset) {
    // Some knots around each step have no bound; finer knots keep that time short. Bends would hide what is left of a
    // step.
    if (initial.has_steps()) bend_share_ = ClockTuning::kShareAtSteps;
    if (initial.has_steps() && settings.segment_ns == 0) group_ = std::max<std::size_t>(1, group_ / 2);
    for (const double z : initial.z) initial_size_ = std::max(initial_size_, std::abs(z));
    if (initial_size_ != 0) return;  // times of different domains may be far apart
    for (const PairSamples& pair : samples.pairs()) halves_.push_back(least_round_trip(pair) / 2);
  }

  ClockFitResult run() {
    for (const std::size_t level : ClockTuning::kLevels) solve_level(level, 0);
    if (!held_out_.empty()) return {std::move(correction_), typical_, 0, asked_};
    refine(find_steps_at_bends());
    if (is_spacing_free_) follow_bends();
    const std::uint64_t infeasible = make_feasible(samples_, correction_, reference_, ClockTuning::kMarginNs, typical_);
    return {std::move(correction_), typical_, infeasible, asked_};
  }

 private:
  static constexpr double kUnset = -1;

  /// While messages are still reversed, the knots may be too far apart for a clock that was slewed sharply.
  void refine(std::uint64_t reversed) {
    for (; group_ > 1 && reversed != 0; reversed = count_infeasible(samples_, correction_)) {
      group_ /= 2;
      solve_level(1, 4);
    }
  }

  /// Whether some clock keeps bending so much that it departs from the straight lines between its knots.
  bool bends_between_knots() const {
    // Between its neighbours, a parabola is an eighth of its second difference away from their line.
    const double least = 8 * ClockTuning::kFinestScale * typical_;
    for (std::size_t h = 0; h < correction_.domains; ++h) {
      std::vector<double> bends;
      for (std::size_t k = 1; k + 1 < correction_.knots; ++k) {
        const double at = correction_.knot_ns(k);
        if (at < static_cast<double>(samples_.begin_ns()) || at > static_cast<double>(samples_.end_ns())) continue;
        bends.push_back(correction_.bend_ns(h, k));
      }
      if (median(std::move(bends), 0) > least) return true;
    }
    return false;
  }

  /// Whether there are enough messages to show the latency in most groups of `group` windows, in a typical direction.
  bool has_messages_in(std::size_t group) const {
    std::vector<double> groups(2 * samples_.pairs().size(), 0);  // [pair][direction]: with enough messages
    for (const ClockConstraint& one : find_tight(samples_, correction_, group))
      if (one.latency < samples_.pairs().size() && one.messages >= ClockTuning::kEnoughForFloor)
        ++groups[2 * one.latency + (one.from < one.to)];
    std::erase(groups, 0);
    const double length = static_cast<double>(group) * static_cast<double>(samples_.window_ns());
    const auto group_of = [&](std::int64_t time) {
      return std::floor(static_cast<double>(time - samples_.origin_ns()) / length);
    };
    const double all = group_of(samples_.end_ns()) - group_of(samples_.begin_ns()) + 1;
    return 2 * median(std::move(groups), 0) > all;
  }

  /// Knots are as close as the clocks ask for and the messages allow.
  void follow_bends() {
    bend_share_ = ClockTuning::kBentShare;
    while (group_ > 1 && bends_between_knots() && has_messages_in(group_ / 2)) {
      asked_ = group_ /= 2;
      solve_level(1, 4);
    }
  }

  /// Keeps a step if it improves the fit. Returns how many messages are still reversed.
  std::uint64_t find_steps_at_bends() {
    std::uint64_t reversed = count_infeasible(samples_, correction_);
    for (int i = 0; i < ClockTuning::kMostStepsAtBends && reversed != 0; ++i) {
      const ClockCorrection before = correction_;
      const std::vector<double> latencies = latencies_;
      if (!add_step_at_bend(samples_, correction_, reference_, typical_)) break;
      solve_level(1, 4);
      const std::uint64_t left = count_infeasible(samples_, correction_);
      if (left >= reversed) {
        correction_ = before;
        latencies_ = latencies;
        break;
      }
      reversed = left;
    }
    return reversed;
  }

  /// Moves the correction to the knots of a level.
  void set_knots(std::size_t windows) {
    const double step = static_cast<double>(windows) * static_cast<double>(samples_.window_ns());
    const auto origin = static_cast<double>(samples_.origin_ns());
    const double span = static_cast<double>(samples_.end_ns()) - origin + correction_.longest_overrun();
    correction_ = correction_.resampled(origin - step, step, static_cast<std::size_t>(std::ceil(span / step)) + 3);
  }

  void solve_level(std::size_t level, int first_round) {
    const std::size_t group = group_ * level;
    set_knots(group);
    const bool is_coarsest = level == ClockTuning::kLevels.front(), is_finest = level == ClockTuning::kLevels.back();
    const int rounds = is_finest ? ClockTuning::kMostRounds : 1;
    std::uint64_t reversed = std::numeric_limits<std::uint64_t>::max();
    for (int round = first_round; round < rounds; ++round) {
      if (round >= 2 && round > first_round) {
        const std::uint64_t left = count_infeasible(samples_, correction_);
        if (left == 0 || left > reversed / 2) break;  // further rounds will not help
        reversed = left;
      }
      std::vector<ClockConstraint> tight = find_tight(samples_, correction_, group, held_out_);
      set_latencies(tight);
      ClockSystem system = make_system(tight);
      tight = {};  // the rows take as much memory
      std::vector<double> scales;
      const double l = typical_, fine = std::max(ClockTuning::kLeastScaleNs, ClockTuning::kFinestScale * l);
      const auto go_down = [&](std::span<const double> shares, std::size_t finest) {
        for (const double share : shares) scales.push_back(share * l);
        scales.insert(scales.end(), finest, fine);
      };
      if (is_coarsest)
        go_down(ClockTuning::kCoarseScales, 1);
      else if (round == 0)
        go_down(ClockTuning::kFirstScales, 2);
      else if (round == 1)
        go_down(ClockTuning::kSecondScales, 3);
      else
        go_down(ClockTuning::kLaterScales, 3);
      for (std::size_t i = 0; i < scales.size(); ++i) {
        const bool is_last = i + 1 == scales.size();
        set_weights(system, std::max(scales[i], fine), i + 2 >= scales.size());
        set_bends(system, std::max(scales[i], fine), fine, is_coarsest && i == 0, is_finest && i + 3 >= scales.size());
        const bool is_end = is_last && round > 0;
        system.solve(is_end ? ClockTuning::kExact : ClockTuning::kRough,
                     is_end ? ClockTuning::kExactSteps : ClockTuning::kRoughSteps);
      }
      if (!is_sane(system)) return;
      std::copy_n(system.x.begin(), correction_.z.size(), correction_.z.begin());
      for (std::size_t e = 0; e < latencies_.size(); ++e) latencies_[e] = system.latency(e);
    }
  }

  /// Whether no correction is far larger than any sample demands. Samples that contradict each other by seconds can
  /// make the system ill-conditioned; the previous solution is better then.
  bool is_sane(const ClockSystem& system) const {
    double largest = typical_, asked = typical_;
    for (const double z : correction_.z) asked = std::max(asked, std::abs(z));
    for (const ClockRow& row : system.rows) asked = std::max(asked, std::abs(row.value));
    for (const double x : system.x) {
      if (!std::isfinite(x)) return false;
      largest = std::max(largest, std::abs(x));
    }
    return largest <= ClockTuning::kFarthest * asked;
  }

  /// Sets the priors: half of each pair's smallest round trip on the clocks corrected so far or, if that is far too
  /// small, its least round trip independent of the clocks. A pair that is much slower than the others probably never
  /// had a quick message each way; it takes the typical latency.
  void set_latencies(const std::vector<ClockConstraint>& tight) {
    const std::size_t pairs = samples_.pairs().size();
    priors_.assign(pairs + 1, kUnset);
    std::size_t i = 0;
    for (; i < tight.size() && tight[i].latency < pairs; ++i) {
      // The two directions of a pair's window are adjacent.
      const ClockConstraint& one = tight[i];
      if (i + 1 == tight.size()) continue;
      const ClockConstraint& other = tight[i + 1];
      const bool is_round_trip = other.latency == one.latency && other.from == one.to && other.window == one.window;
      if (!is_round_trip) continue;
      const double half = (one.slack_ns + other.slack_ns) / 2;
      double& prior = priors_[one.latency];
      if (prior == kUnset || half < prior) prior = half;
    }
    for (std::size_t e = 0; e < pairs; ++e) {
      const double half = halves_.empty() ? kInfinity : halves_[e];
      if (std::isfinite(half) && priors_[e] < ClockTuning::kFarBelow * half) priors_[e] = half;
    }
    typical_ = std::max(1.0, usual_latency(samples_, priors_, ClockTuning::kUnknownLatencyNs));
    for (std::size_t e = 0; e < pairs; ++e) {
      if (latencies_[e] == kUnset) latencies_[e] = priors_[e];
      if (priors_[e] > ClockTuning::kOtherClass * typical_) priors_[e] = kUnset;
      if (latencies_[e] < 0 || latencies_[e] > ClockTuning::kOtherClass * typical_)
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

  ClockSystem make_system(const std::vector<ClockConstraint>& tight) const {
    ClockSystem system{correction_.domains, correction_.knots, reference_};
    system.x = correction_.z;
    system.home = correction_.z;
    system.x.insert(system.x.end(), latencies_.begin(), latencies_.end());
    system.priors = priors_;
    system.stiffness = 1 / (ClockTuning::kPriorDoubt * typical_ * ClockTuning::kPriorDoubt * typical_);
    system.rows.reserve(tight.size());
    const std::vector<double> raised = raised_latencies(tight);
    for (const ClockConstraint& one : tight) {
      const auto to = correction_.place(one.received_ns), from = correction_.place(one.sent_ns);
      ClockRow row;
      row.to = static_cast<std::uint32_t>(one.to * correction_.knots + to.index);
      row.from = static_cast<std::uint32_t>(one.from * correction_.knots + from.index);
      row.to_share = static_cast<float>(to.share);
      row.from_share = static_cast<float>(from.share);
      row.latency = one.latency;
      row.is_collective = one.latency == priors_.size() - 1;
      row.doubt =
          std::max(0.0, raised[static_cast<std::size_t>(&one - tight.data())] - ClockTuning::kSteadyShare * typical_);
      row.value = one.sent_ns - one.received_ns + row.doubt;
      system.rows.push_back(row);
    }
    return system;
  }

  void set_weights(ClockSystem& system, double scale, bool is_redescending) const {
    for (ClockRow& row : system.rows) {
      const double q = row.difference(system.x) - row.value - system.latency(row.latency);
      const double s =
          row.is_collective ? scale + ClockTuning::kCollectiveDoubt * typical_ : std::hypot(scale, row.doubt);
      // A host that always lags receives every message late; without a redescending weight those residuals would keep
      // pulling.
      if (q > 0)
        row.weight = 1 / (s * s + (is_redescending ? q * q : s * q + q * q / ClockTuning::kFar));
      else
        row.weight = row.is_collective && -q > ClockTuning::kRobustCollective * s
                         ? ClockTuning::kRobustCollective / (s * -q)
                         : 1 / (s * s);
    }
  }

  /// Oscillators bend little and rarely, so the prior of second differences has heavy tails.
  void set_bends(ClockSystem& system, double scale, double finest, bool is_first, bool is_redescending) const {
    const double seconds = correction_.spacing_ns / kNsPerSecond;
    // A rate that changes with temperature keeps changing for some seconds; over longer times it is a random walk.
    const double lasting = std::min(seconds, ClockTuning::kLastingSeconds);
    const double least =
        ClockTuning::kWanderNs * lasting * lasting * std::pow(seconds / lasting, ClockTuning::kWalkPower);
    double sigma = std::max(least, std::min(ClockTuning::kMostBendNs, scale) * std::min(1.0, seconds) * bend_share_);
    if (scale <= finest * ClockTuning::kFinestBendScale) sigma = least;
    const std::size_t n = correction_.knots;
    std::vector<double> size(n);
    for (std::size_t h = 0; h < correction_.domains; ++h) {
      const double* const z = &system.x[h * n];
      for (std::size_t k = 1; k + 1 < n; ++k) size[k] = bend_at(z + k);
      for (std::size_t k = 1; k + 1 < n; ++k) {
        const double d = is_first ? 0 : std::max({size[k], size[k - 1] / 2, k + 2 < n ? size[k + 1] / 2 : 0});
        system.bends[h * n + k] = is_redescending ? 1 / (sigma * sigma + d * d / 4) : 1 / (sigma * sigma + sigma * d);
      }
    }
  }

  const ClockSamples& samples_;
  std::size_t reference_;
  const std::vector<bool>& held_out_;
  std::size_t group_;  // windows between the finest knots
  std::size_t asked_;  // the same as far as messages show how clocks bend, and not only that some are reversed
  bool is_spacing_free_;
  ClockCorrection correction_;
  std::vector<double> latencies_, priors_;
  std::vector<double> halves_;  // [pairs]: half of the least round trip; empty if the first lines are not comparable
  double typical_ = ClockTuning::kUnknownLatencyNs;
  double bend_share_ = ClockTuning::kBendShare;
  double initial_size_ = 0;  // largest value of the initial correction
};

}  // namespace

std::size_t windows_per_knot(const ClockSamples& samples, double segment_ns) {
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
  double spacing = ClockTuning::kSpacingNs;  // ping-pong exchanges alone
  if (!counts.empty()) {
    const bool is_two_way = both_ways > one_way;
    const double gap = span / median(std::move(counts), 1);
    spacing = is_two_way ? std::max(ClockTuning::kSpacingNs, ClockTuning::kGapsPerKnot * gap)
                         : std::max(ClockTuning::kOneWaySpacingNs, ClockTuning::kOneWayGapsPerKnot * gap);
    spacing = std::min(spacing, ClockTuning::kLongestSpacingNs);
  }
  return static_cast<std::size_t>(std::max(1.0, std::round(spacing / window)));
}

ClockFitResult fit_correction(const ClockSamples& samples, const ClockCorrection& initial,
                              const ClockFitSettings& settings) {
  return Fit{samples, initial, settings}.run();
}

}  // namespace meridian
