// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace meridian {

inline constexpr std::size_t kAllRanks = SIZE_MAX;

/// The times of equal groups of iterations, in seconds, each the mean of an iteration of the group.
struct IterationTimes {
  std::size_t ranks = 0;
  std::vector<double> duration_s;      ///< [group, rank]
  std::vector<double> compute_s;       ///< [group, rank]: outside MPI
  std::vector<std::uint64_t> lengths;  ///< [group]: iterations

  std::size_t groups() const noexcept { return lengths.size(); }
  double compute(std::size_t group, std::size_t rank) const { return compute_s[group * ranks + rank]; }
  double duration(std::size_t group, std::size_t rank) const { return duration_s[group * ranks + rank]; }
};

enum class ChangeKind : std::uint8_t {
  slow,         ///< a group of iterations in which a rank computes longer than in others
  slow_in_mpi,  ///< one that takes longer, without that
  step,         ///< from a group on a rank computes longer
  trend,        ///< a rank computes longer and longer
};
inline constexpr std::string_view kChangeNames[] = {"slow iteration", "slow in MPI", "step", "trend"};

struct IterationChange {
  ChangeKind kind{};
  std::size_t rank = kAllRanks;
  std::size_t group = 0;  ///< the first one that is longer; of a trend the first one of all
  double before_s = 0;    ///< an iteration of the others, the iterations before, or at the begin of the trend
  double after_s = 0;     ///< of the iteration, after the step, or at the end of the trend
  double cost_s = 0;      ///< the time of all ranks: that of the slow one, or of those that wait for it meanwhile

  bool operator==(const IterationChange&) const = default;
};

/// Outliers and drifts; the most expensive first.
std::vector<IterationChange> find_changes(const IterationTimes& times);

/// What a series would be without outliers: constant, with a step, or with a slope. At least a tenth of growth at the step, or a
/// fifth over the whole series, that is clearly more than the noise, is a change.
class Baseline {
 public:
  static constexpr std::size_t kLeastBeside = 5;  ///< values on each side of a step

  explicit Baseline(std::span<const double> series);
  double at(std::size_t i) const noexcept;
  ChangeKind kind() const noexcept { return kind_; }
  bool is_constant() const noexcept { return kind_ == ChangeKind::slow; }
  std::size_t step() const noexcept { return step_; }
  /// Standard deviation of the series about it, by the median of the distances: outliers do not matter.
  double noise() const noexcept { return noise_; }

 private:
  void find_step(std::span<const double> smooth);

  ChangeKind kind_ = ChangeKind::slow;  // constant
  std::size_t step_ = 0;
  double before_ = 0, after_ = 0, slope_ = 0;
  double noise_ = 0;
};

}  // namespace meridian
