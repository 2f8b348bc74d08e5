// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace meridian {

inline constexpr std::uint32_t kNoPath = 0;
/// In place of the callers: those beyond MERIDIAN_STACK, and those of which nothing was known.
inline constexpr std::uint32_t kDeeperPath = 1;
inline constexpr std::uint32_t kLostPath = 2;

/// A call site, reached by way of another. Where stacks are not recorded every site is a path of its own.
struct CallPath {
  std::uint32_t parent = kNoPath;  ///< a path before it in the table; kNoPath: the program begins here
  std::uint32_t site = 0;
};

/// Call paths of all ranks, each once.
class PathTable {
 public:
  static constexpr std::size_t kMaxPaths = std::size_t{1} << 20;  ///< with the three above: numbers have 20 bits

  PathTable() : paths_(3) {}

  /// kNoPath when there are too many.
  std::uint32_t path(std::uint32_t parent, std::uint32_t site);

  /// Entry 0 is no path; the next two have no site.
  const std::vector<CallPath>& paths() const noexcept { return paths_; }
  bool is_full() const noexcept { return is_full_; }

 private:
  std::vector<CallPath> paths_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> path_of_;
  bool is_full_ = false;
};

}  // namespace meridian
