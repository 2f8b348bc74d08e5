// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "merger/clocks/fit/clock_straight.hpp"
#include "merger/clocks/fit/make_feasible.hpp"
#include "merger/clocks/samples/clock_constraints.hpp"
#include "merger/clocks/samples/clock_meetings.hpp"
#include "merger/clocks/samples/median.hpp"
#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

/// The distances of the same meetings from two fits.
class Comparison {
 public:
  void add(const std::vector<ClockMeeting>& here, const std::vector<ClockMeeting>& there) {
    std::size_t j = 0;
    for (const ClockMeeting& a : here) {
      const auto is_before = [&](const ClockMeeting& b) {
        return b.pair != a.pair ? b.pair < a.pair : b.window < a.window;
      };
      while (j < there.size() && is_before(there[j])) ++j;
      if (j == there.size()) break;
      const ClockMeeting& b = there[j];
      if (b.pair != a.pair || b.window != a.window) continue;
      rows_.push_back({a.window, std::abs(a.ahead_ns), std::abs(b.ahead_ns), std::min(a.doubt_ns, b.doubt_ns)});
    }
  }

  /// By how many standard errors the first fit is worse than the second. Meetings at one time share their errors, so each
  /// time counts once.
  double excess() const {
    if (rows_.empty()) return 0;
    std::vector<Row> by_doubt = rows_;
    std::ranges::stable_sort(by_doubt, {}, &Row::doubt_ns);
    by_doubt.resize(by_doubt.size() / ClockTuning::kQuickShare + 1);  // the quick ones show what distances are usual
    std::vector<double> least;
    least.reserve(by_doubt.size());
    for (const Row& row : by_doubt) least.push_back(std::min(row.one_ns, row.other_ns));
    const double common = std::max(ClockTuning::kLeastScaleNs, median(std::move(least), 0));
    std::map<std::uint32_t, double> at_time;
    for (const Row& row : rows_) {
      const double square = common * common + row.doubt_ns * row.doubt_ns;
      at_time[row.window] +=
          std::log1p(row.one_ns * row.one_ns / square) - std::log1p(row.other_ns * row.other_ns / square);
    }
    double sum = 0, squares = 0;
    for (const auto& [window, difference] : at_time) {
      sum += difference;
      squares += difference * difference;
    }
    return in_standard_errors(sum, squares, static_cast<double>(at_time.size()));
  }

  double median_of_first() const { return median_of(&Row::one_ns); }
  double median_of_second() const { return median_of(&Row::other_ns); }
  bool is_empty() const { return rows_.empty(); }

 private:
  /// A sum of `count` independent differences, in multiples of its standard error. The fewer there are, the more often chance makes
  /// their spread too small: Student's distribution, by the first term of its expansion about the normal one.
  static double in_standard_errors(double sum, double squares, double count) {
    if (squares <= 0) return 0;
    if (count < kFewestForSpread) return sum / std::sqrt(squares);
    const double degrees = count - 1;
    const double spread = std::sqrt(std::max(0.0, squares - sum * sum / count) * count / degrees);
    const double wanted = ClockTuning::kConvincing;
    return sum / spread / (1 + (wanted * wanted + 1) / (4 * degrees));
  }
  static constexpr double kFewestForSpread = 5;

  struct Row {
    std::uint32_t window = 0;
    double one_ns = 0, other_ns = 0, doubt_ns = 0;
  };
  double median_of(double Row::*column) const {
    std::vector<double> values;
    for (const Row& row : rows_) values.push_back(row.*column);
    return median(std::move(values), -1);
  }
  std::vector<Row> rows_;
};

/// The stretches of windows in which any pair meets, by time.
std::vector<std::uint32_t> times_of(const std::vector<ClockMeeting>& meetings) {
  std::vector<std::uint32_t> times;
  times.reserve(meetings.size());
  for (const ClockMeeting& one : meetings) times.push_back(one.window);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Every fourth of these stretches; never the first or the last, from where fits extrapolate.
std::vector<bool> every_fourth(std::span<const std::uint32_t> times, std::size_t group, std::size_t first) {
  std::vector<bool> is_held;
  for (std::size_t i = 1; i + 1 < times.size(); ++i) {
    if (i % 4 != first) continue;
    is_held.resize((times[i] + 1) * group, false);
    std::fill(is_held.end() - static_cast<std::ptrdiff_t>(group), is_held.end(), true);
  }
  return is_held;
}

/// Messages that are received before they are sent, and collectives that end before all have entered.
std::uint64_t count_reversed(const ClockSamples& samples, const ClockCorrection& correction) {
  return count_infeasible(samples, correction) + count_early_exits(samples, correction);
}

/// The number of times at which quick round trips contradict the fit that they were corrected with.
std::size_t contradicted_times(const std::vector<ClockMeeting>& meetings, double latency_ns) {
  std::set<std::uint32_t> windows;
  for (const ClockMeeting& one : contradictions_among(meetings, latency_ns)) windows.insert(one.window);
  return windows.size();
}

/// Whether quick round trips contradict the lines at several times, and the fit at half as many of them at most.
bool is_contradicted(const std::vector<ClockMeeting>& of_lines, const ClockSamples& samples, const ClockFitResult& fit,
                     std::size_t group) {
  const std::size_t by_lines = contradicted_times(of_lines, fit.latency_ns);
  return by_lines >= ClockTuning::kFewestLopsided &&
         by_lines >= 2 * contradicted_times(find_meetings(find_tight(samples, fit.correction, group)), fit.latency_ns);
}

/// Whether most meetings have few messages. Lines through those are closer to them than to the truth.
bool are_few(const std::vector<ClockMeeting>& meetings) {
  const auto few = std::ranges::count_if(
      meetings, [](const ClockMeeting& one) { return one.messages < ClockTuning::kEnoughForFloor; });
  return 2 * few > std::ssize(meetings);
}

/// Straight clocks, and what the samples say about them.
struct StraightFit {
  ClockShape shape = ClockShape::lines;
  ClockCorrection correction;
  std::vector<ClockMeeting> meetings;
  std::uint64_t reversed = 0;

  StraightFit(ClockShape its_shape, ClockCorrection its_correction, const ClockSamples& samples, std::size_t group)
      : shape{its_shape},
        correction{std::move(its_correction)},
        meetings{find_meetings(find_tight(samples, correction, group))},
        reversed{count_reversed(samples, correction)} {}
};

/// Whether straight clocks fit better than others.
bool is_better(const StraightFit& one, const StraightFit& best, double most_excess, double latency_ns) {
  if (one.reversed != best.reversed) return one.reversed < best.reversed;
  Comparison comparison;
  comparison.add(one.meetings, best.meetings);
  if (comparison.excess() > most_excess) return false;
  // In a short run there are too few times for a significant difference; a single quick round trip is evidence then.
  return contradicted_times(one.meetings, latency_ns) <= contradicted_times(best.meetings, latency_ns);
}

StraightFit best_straight(const ClockSamples& samples, const ClockCorrection& initial, std::span<const double> drifts,
                          std::size_t reference, std::size_t group, double latency_ns) {
  StraightFit best{ClockShape::lines, fit_straight(samples, initial, {reference}), samples, group};
  const auto consider = [&](StraightFit one, double most_excess) {
    if (is_better(one, best, most_excess, latency_ns)) best = std::move(one);
  };
  StraightFit first{ClockShape::lines, initial, samples, group};
  const double most_excess = are_few(first.meetings) ? ClockTuning::kConvincing : 0;
  consider(std::move(first), most_excess);
  if (!drifts.empty())
    consider({ClockShape::offsets, fit_straight(samples, initial, {reference, drifts}), samples, group},
             ClockTuning::kConvincing);
  return best;
}

/// Whether some message is reversed by more than `most_ns`.
bool has_far_reversed(const ClockSamples& samples, const ClockCorrection& correction, double most_ns) {
  for (const PairSamples& pair : samples.pairs())
    for (const int direction : {0, 1}) {
      const auto look = [&](const ClockConstraint& one, const ClockPoint&) {
        return one.slack_ns < -most_ns ? Visited::stop : Visited::next;
      };
      if (!for_each_message(pair, direction, correction, look)) return true;
    }
  return false;
}

/// Moves lines by the least that leaves no sample reversed, if there are such lines nearby. For clocks that are lines there are: the
/// true ones.
void bring_into_order(const ClockSamples& samples, std::size_t reference, std::size_t group, double latency_ns,
                      StraightFit& lines) {
  if (has_far_reversed(samples, lines.correction, latency_ns)) return;
  ClockCorrection moved = lines.correction;
  make_feasible(samples, moved, reference, ClockTuning::kMarginNs, latency_ns);
  StraightFit ordered{ClockShape::lines, std::move(moved), samples, group};
  if (ordered.reversed < lines.reversed) lines = std::move(ordered);
}

/// Whether a fit bends clocks as no clock bends that its system does not slew: it follows late messages.
bool is_bent_too_sharply(const ClockFitResult& fit, const ClockFitSettings& settings) {
  return !settings.may_slew && !fit.correction.has_steps() && fit.correction.sharpest_bend() > ClockTuning::kSlewed;
}

/// The length of the stretches of time in which fits are compared, in windows: that of the knots, or less in a short run with
/// many messages, where there would be too few stretches for a significant difference.
std::size_t stretch_of(const ClockSamples& samples, const ClockCorrection& initial, std::size_t group) {
  const double windows =
      static_cast<double>(samples.end_ns() - samples.begin_ns()) / static_cast<double>(samples.window_ns());
  const auto has_many = [&] {
    std::vector<double> messages;
    for (const ClockMeeting& one : find_meetings(find_tight(samples, initial, group))) messages.push_back(one.messages);
    return median(std::move(messages), 0) >= 2 * ClockTuning::kEnoughForFloor;
  };
  while (group > 1 && windows / static_cast<double>(group) < static_cast<double>(ClockTuning::kStraightMeetings) &&
         has_many())
    group /= 2;
  return group;
}

}  // namespace

ClockChoice choose_shape(const ClockSamples& samples, const ClockCorrection& initial, std::span<const double> drifts,
                         const ClockFitSettings& settings, ClockFitResult& fit) {
  const std::size_t group = stretch_of(samples, initial, fit.group);
  StraightFit straight = best_straight(samples, initial, drifts, settings.reference, group, fit.latency_ns);
  const std::uint64_t bent_reversed = std::max(fit.infeasible, count_reversed(samples, fit.correction));
  if (straight.reversed > bent_reversed && is_bent_too_sharply(fit, settings))
    bring_into_order(samples, settings.reference, group, fit.latency_ns, straight);
  ClockChoice choice;
  choice.bends_reversed = bent_reversed;
  choice.lines_reversed = straight.reversed;
  if (straight.reversed > bent_reversed) return choice;
  if (straight.reversed == bent_reversed && fit.correction.has_steps()) return choice;
  if (straight.reversed == bent_reversed && is_contradicted(straight.meetings, samples, fit, group)) return choice;
  if (straight.reversed == bent_reversed) {
    Comparison comparison;
    const std::vector<std::uint32_t> times = times_of(straight.meetings);
    // Where there are few, all of them are needed for a significant difference.
    const std::size_t parts = times.size() < 2 * ClockTuning::kStraightMeetings ? 4 : 2;
    constexpr std::array<std::size_t, 4> kFirst{1, 3, 0, 2};
    for (const std::size_t first : std::span{kFirst}.first(parts)) {
      ClockFitSettings part = settings;
      part.segment_ns = static_cast<double>(fit.group) * static_cast<double>(samples.window_ns());
      part.held_out = every_fourth(times, group, first);
      if (part.held_out.empty()) continue;
      const ClockCorrection bent = fit_correction(samples, initial, part).correction;
      StraightSettings own{settings.reference, {}, part.held_out};
      if (straight.shape == ClockShape::offsets) own.drifts = drifts;
      const ClockCorrection lines = fit_straight(samples, straight.correction, own);
      std::vector<bool> others = part.held_out;
      others.flip();
      others.resize(static_cast<std::size_t>((samples.end_ns() - samples.origin_ns()) / samples.window_ns()) + 2, true);
      comparison.add(find_meetings(find_tight(samples, lines, group, others)),
                     find_meetings(find_tight(samples, bent, group, others)));
    }
    choice.lines_ns = comparison.median_of_first();
    choice.bends_ns = comparison.median_of_second();
    if (comparison.excess() > ClockTuning::kConvincing) return choice;
  }
  choice.shape = straight.shape;
  const ClockCorrection& bent = fit.correction;
  straight.correction.rate_doubts = bent.rate_doubts;
  fit.correction = straight.correction.resampled(bent.begin_ns, bent.spacing_ns, bent.knots);
  fit.infeasible = straight.reversed;
  return choice;
}

}  // namespace meridian
