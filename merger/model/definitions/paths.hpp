// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace meridian {

inline constexpr std::uint32_t kNoPath = 0;
/// Take the place of callers: those beyond the depth of MERIDIAN_STACK, and those that are unknown.
inline constexpr std::uint32_t kDeeperPath = 1;
inline constexpr std::uint32_t kLostPath = 2;

/// A call site and the path to it. Without recorded stacks every site is a path of its own.
struct CallPath {
  std::uint32_t parent = kNoPath;  ///< index of an earlier path in the table; kNoPath: the outermost site
  std::uint32_t site = 0;
};

/// Call paths of all ranks, each once.
class PathTable {
 public:
  static constexpr std::size_t kMaxPaths = std::size_t{1} << 20;  ///< with the three above: indexes have 20 bits

  PathTable() : paths_(3) {}

  /// kNoPath if the table is full.
  std::uint32_t path(std::uint32_t parent, std::uint32_t site);

  /// Entry 0 means "no path"; the next two have no site.
  const std::vector<CallPath>& paths() const noexcept { return paths_; }
  bool is_full() const noexcept { return is_full_; }
  /// Appends the sites of the paths from `known` on, and counts them there.
  void take_sites(std::size_t& known, std::vector<std::uint32_t>& sites) const {
    for (; known < paths_.size(); ++known) sites.push_back(paths_[known].site);
  }

 private:
  std::vector<CallPath> paths_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> path_of_;
  bool is_full_ = false;
};

}  // namespace meridian
