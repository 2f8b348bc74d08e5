// SPDX-License-Identifier: Apache-2.0
#include "merger/memory/memory_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace meridian {
namespace {

constexpr std::size_t kGrowthSlices = 6;
constexpr std::size_t kLeastPoints = 24;              // three in a slice
constexpr std::int64_t kLeastGrowthNs = 500'000'000;  // what grows in less may be the set-up still
constexpr double kLeastBytes = 16.0 * (1 << 20);
constexpr double kLeastShare = 0.1;     // of the memory after the set-up
constexpr double kSteady = 0.25;        // of the mean step: iterations do not take equally long
constexpr double kFreedAtTheEnd = 0.2;  // of the run, at most

}  // namespace

void MemoryCurve::halve() {
  for (std::size_t i = 0; 2 * i + 1 < points_.size(); ++i) points_[i] = points_[2 * i + 1];
  points_.resize(points_.size() / 2);
  step_ns_ *= 2;
}

void MemoryCurve::add(std::int64_t time_ns, std::uint64_t resident_bytes) {
  if (points_.empty()) first_ns_ = time_ns;
  const std::int64_t since_ns = std::max<std::int64_t>(time_ns - first_ns_, 0);
  const double last = points_.empty() ? static_cast<double>(resident_bytes) : points_.back();
  while (since_ns / step_ns_ >= static_cast<std::int64_t>(kMost)) {
    if (points_.size() % 2 != 0) points_.push_back(last);
    halve();
  }
  const auto index = static_cast<std::size_t>(since_ns / step_ns_);
  const std::size_t known = points_.size();
  if (index >= known) points_.resize(index + 1);
  for (std::size_t i = known; i < index; ++i)
    points_[i] = std::lerp(last, static_cast<double>(resident_bytes),
                           static_cast<double>(i + 1 - known) / static_cast<double>(index + 1 - known));
  points_.back() = static_cast<double>(resident_bytes);
}

double MemoryCurve::at(std::int64_t time_ns) const noexcept {
  if (points_.empty()) return 0;
  const double place = static_cast<double>(time_ns - first_ns_) / static_cast<double>(step_ns_) - 1;
  if (place <= 0) return points_.front();
  const auto index = static_cast<std::size_t>(std::min(place, 1e9));
  if (index + 1 >= points_.size()) return points_.back();
  return std::lerp(points_[index], points_[index + 1], place - static_cast<double>(index));
}

std::optional<MemoryGrowth> MemoryCurve::steady_growth() const {
  const auto most = std::max_element(points_.rbegin(), points_.rend());  // the last one of these
  const auto length = static_cast<std::size_t>(points_.rend() - most);
  if (length < kLeastPoints || static_cast<double>(length) < (1 - kFreedAtTheEnd) * static_cast<double>(points_.size()))
    return std::nullopt;
  const std::size_t begin = length / 4;
  std::array<double, kGrowthSlices> least{};
  for (std::size_t i = 0; i < kGrowthSlices; ++i) {
    const auto edge = [&](std::size_t slice) {
      return points_.begin() + static_cast<std::ptrdiff_t>(begin + (length - begin) * slice / kGrowthSlices);
    };
    least[i] = *std::min_element(edge(i), edge(i + 1));
  }
  const double growth = least.back() - least.front();
  if (growth < std::max(kLeastBytes, kLeastShare * least.front())) return std::nullopt;
  for (std::size_t i = 1; i < kGrowthSlices; ++i)
    if (least[i] - least[i - 1] < kSteady * growth / (kGrowthSlices - 1)) return std::nullopt;
  // The least memory of a slice is that at its begin: the last slice adds what it grows by itself.
  const auto time_of = [&](std::size_t point) { return first_ns_ + step_ns_ * (static_cast<std::int64_t>(point) + 1); };
  if (time_of(length - 1) - time_of(begin) < kLeastGrowthNs) return std::nullopt;
  const double bytes = std::max(points_[length - 1] - points_[begin], growth);
  return MemoryGrowth{time_of(begin), time_of(length - 1), static_cast<std::uint64_t>(bytes)};
}

}  // namespace meridian
