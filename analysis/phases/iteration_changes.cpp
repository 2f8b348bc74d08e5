// SPDX-License-Identifier: Apache-2.0
#include "analysis/phases/iteration_changes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace meridian {
namespace {

constexpr double kLeastStep = 0.1;        // growth
constexpr double kLeastTrend = 0.2;       // growth from the first value to the last one
constexpr double kClearly = 8;            // standard errors
constexpr double kSlow = 1.5;             // times the iterations around it
constexpr double kSlowNoise = 6;          // standard deviations
constexpr double kLeastExtra = 0.25;      // of an iteration: less is hardly seen
constexpr double kPerDeviation = 1.4826;  // standard deviation / median of the distances, of normal noise
constexpr std::size_t kMostChanges = 20;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::ranges::max_element(values.begin(), middle)) / 2;
}

/// The median of each value and its two neighbours: without single outliers, but with steps.
std::vector<double> smoothed(std::span<const double> series) {
  std::vector<double> result(series.begin(), series.end());
  if (series.size() < 3) return result;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t first = std::min(i == 0 ? 0 : i - 1, series.size() - 3);
    const double a = series[first], b = series[first + 1], c = series[first + 2];
    result[i] = std::max(std::min(a, b), std::min(std::max(a, b), c));
  }
  return result;
}

struct SquareSums {
  double count = 0, sum = 0, squares = 0;
  double mean() const { return sum / count; }
  double rest() const { return std::max(0.0, squares - sum * sum / count); }  // sum of the squared distances
};

bool is_clear(double growth, double error) { return growth > kClearly * error; }

}  // namespace

Baseline::Baseline(std::span<const double> series) {
  before_ = after_ = median({series.begin(), series.end()});
  if (series.size() >= 2 * kLeastBeside && before_ > 0) find_step(smoothed(series));
  std::vector<double> distances(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) distances[i] = std::abs(series[i] - at(i));
  noise_ = kPerDeviation * median(std::move(distances));
}

void Baseline::find_step(std::span<const double> smooth) {
  const double origin = before_;  // numbers near zero are exact enough for their squares
  SquareSums all;
  double products = 0;
  const double middle = static_cast<double>(smooth.size() - 1) / 2;
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    const double value = smooth[i] - origin;
    all.sum += value;
    all.squares += value * value;
    products += value * (static_cast<double>(i) - middle);
  }
  all.count = static_cast<double>(smooth.size());
  const double spread = all.count * (all.count * all.count - 1) / 12;  // sum of (i - middle)^2
  const double slope = products / spread;
  const double line_rest = std::max(0.0, all.rest() - slope * products);

  SquareSums left;
  double step_rest = all.rest(), growth = 0, error = 0, left_mean = 0, right_mean = 0;
  std::size_t step = 0;
  for (std::size_t i = 0; i + kLeastBeside < smooth.size(); ++i) {
    const double value = smooth[i] - origin;
    left = {left.count + 1, left.sum + value, left.squares + value * value};
    if (i + 1 < kLeastBeside) continue;
    const SquareSums right{all.count - left.count, all.sum - left.sum, all.squares - left.squares};
    const double rest = left.rest() + right.rest();
    if (rest >= step_rest) continue;
    step_rest = rest;
    step = i + 1;
    left_mean = left.mean() + origin;
    right_mean = right.mean() + origin;
    growth = right_mean - left_mean;
    error = std::sqrt(rest / (all.count - 2) * (1 / left.count + 1 / right.count));
  }
  const double begin = all.mean() + origin - slope * middle;
  const double line_growth = slope * (all.count - 1);
  const double line_error = std::sqrt(line_rest / (all.count - 2) / spread) * (all.count - 1);
  if (step != 0 && step_rest <= line_rest) {
    if (growth < kLeastStep * left_mean || !is_clear(growth, error)) return;
    kind_ = ChangeKind::step;
    step_ = step;
    before_ = left_mean;
    after_ = right_mean;
  } else if (begin > 0 && line_growth >= kLeastTrend * begin && is_clear(line_growth, line_error)) {
    kind_ = ChangeKind::trend;
    before_ = begin;
    after_ = begin + line_growth;
    slope_ = slope;
  }
}

double Baseline::at(std::size_t i) const noexcept {
  if (kind_ == ChangeKind::trend) return before_ + slope_ * static_cast<double>(i);
  return kind_ == ChangeKind::step && i >= step_ ? after_ : before_;
}

namespace {

class ChangeFinder {
 public:
  explicit ChangeFinder(const IterationTimes& times) : times_{times} {
    std::vector<double> series(times.groups());
    for (std::size_t rank = 0; rank < times.ranks; ++rank) {
      for (std::size_t i = 0; i < series.size(); ++i) series[i] = times.compute(i, rank);
      baselines_.emplace_back(series);
    }
  }

  std::vector<IterationChange> find() {
    find_drifts();
    find_outliers();
    std::ranges::stable_sort(changes_, std::greater{}, &IterationChange::cost_s);
    if (changes_.size() > kMostChanges) changes_.resize(kMostChanges);
    return std::move(changes_);
  }

 private:
  bool are_most(std::size_t ranks) const { return ranks >= 2 && 2 * ranks > times_.ranks; }

  double mean_compute(std::size_t group) const {
    double sum = 0;
    for (std::size_t rank = 0; rank < times_.ranks; ++rank) sum += times_.compute(group, rank);
    return sum / static_cast<double>(times_.ranks);
  }

  /// What the ranks lose in a group because a rank, or all, compute longer than this. Those that wait for one rank lose the
  /// time that it computes longer than they do.
  double cost(std::size_t group, std::size_t rank, double than_s) const {
    const auto length = static_cast<double>(times_.lengths[group]);
    const auto ranks = static_cast<double>(times_.ranks);
    if (rank == kAllRanks) return std::max(0.0, mean_compute(group) - than_s) * ranks * length;
    for (std::size_t other = 0; other < times_.ranks; ++other)
      if (other != rank) than_s = std::max(than_s, times_.compute(group, other));
    return std::max(0.0, times_.compute(group, rank) - than_s) * std::max(1.0, ranks - 1) * length;
  }

  void add_drift(std::size_t rank, const Baseline& baseline) {
    IterationChange change{.kind = baseline.kind(),
                           .rank = rank,
                           .group = baseline.step(),
                           .before_s = baseline.at(0),
                           .after_s = baseline.at(times_.groups() - 1)};
    for (std::size_t i = change.group; i < times_.groups(); ++i) change.cost_s += cost(i, rank, change.before_s);
    changes_.push_back(change);
  }

  void find_drifts() {
    const auto drifting = static_cast<std::size_t>(
        std::ranges::count_if(baselines_, [](const Baseline& baseline) { return !baseline.is_constant(); }));
    if (are_most(drifting)) {
      std::vector<double> series(times_.groups());
      for (std::size_t i = 0; i < series.size(); ++i) series[i] = mean_compute(i);
      if (const Baseline common{series}; !common.is_constant()) return add_drift(kAllRanks, common);
    }
    for (std::size_t rank = 0; rank < times_.ranks; ++rank)
      if (!baselines_[rank].is_constant()) add_drift(rank, baselines_[rank]);
  }

  void find_outliers() {
    std::vector<double> durations(times_.groups());
    for (std::size_t i = 0; i < durations.size(); ++i) {
      for (std::size_t rank = 0; rank < times_.ranks; ++rank) durations[i] += times_.duration(i, rank);
      durations[i] /= static_cast<double>(times_.ranks);
    }
    const Baseline whole{durations};
    std::vector<bool> is_explained(durations.size() + 2);  // by a rank that computes longer; also the groups beside it
    for (std::size_t i = 0; i < durations.size(); ++i)
      if (add_slow(i, kLeastExtra * whole.at(i))) is_explained[i] = is_explained[i + 1] = is_explained[i + 2] = true;
    for (std::size_t i = 0; i < durations.size(); ++i) {
      const double usual_s = whole.at(i), extra_s = durations[i] - usual_s;
      if (is_explained[i + 1] || extra_s <= (kSlow - 1) * usual_s || extra_s <= kSlowNoise * whole.noise()) continue;
      changes_.push_back({ChangeKind::slow_in_mpi, kAllRanks, i, usual_s, durations[i],
                          extra_s * static_cast<double>(times_.ranks * times_.lengths[i])});
    }
  }

  /// Whether ranks compute longer than usual in a group, and so much that the iteration may become longer.
  bool add_slow(std::size_t group, double least_s) {
    std::size_t slow = 0, worst = 0;
    double most_s = 0, usual_s = 0;
    for (std::size_t rank = 0; rank < times_.ranks; ++rank) {
      const Baseline& baseline = baselines_[rank];
      const double base_s = baseline.at(group), more_s = times_.compute(group, rank) - base_s;
      usual_s += base_s / static_cast<double>(times_.ranks);
      if (more_s <= (kSlow - 1) * base_s || more_s <= kSlowNoise * baseline.noise() || more_s < least_s) continue;
      ++slow;
      if (more_s <= most_s) continue;
      most_s = more_s;
      worst = rank;
    }
    if (slow == 0) return false;
    const bool are_all = are_most(slow);
    const double before_s = are_all ? usual_s : baselines_[worst].at(group);
    const std::size_t rank = are_all ? kAllRanks : worst;
    changes_.push_back({ChangeKind::slow, rank, group, before_s,
                        are_all ? mean_compute(group) : times_.compute(group, worst), cost(group, rank, before_s)});
    return true;
  }

  const IterationTimes& times_;
  std::vector<Baseline> baselines_;  // [rank]
  std::vector<IterationChange> changes_;
};

}  // namespace

std::vector<IterationChange> find_changes(const IterationTimes& times) {
  if (times.ranks == 0 || times.groups() < 2) return {};
  return ChangeFinder{times}.find();
}

}  // namespace meridian
