// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bounds of a merged file: FORMAT.md, /clock_bounds.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "merger/model/clock_bounds.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The bounds of any time of any rank in a merged file.
class MergedBounds {
 public:
  /// errors  not_found, damaged, unsupported: the file, or it has no bounds because it was made with another clock
  ///         model
  static Result<MergedBounds> read(const std::filesystem::path& merged);

  std::optional<ClockBound> at(std::int32_t rank, std::int64_t time_ns, BoundLevel level) const;
  /// Whether two ranks read the same clock, so that their times can be compared exactly.
  bool shares_clock(std::int32_t a, std::int32_t b) const;
  const ClockBounds& bounds() const noexcept { return bounds_; }

 private:
  static Result<MergedBounds> read(std::int64_t file, const std::filesystem::path& merged);

  ClockBounds bounds_;
  std::unordered_map<std::int32_t, std::uint32_t> domain_of_;  // by world rank
};

}  // namespace meridian
