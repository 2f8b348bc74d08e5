// SPDX-License-Identifier: Apache-2.0
#pragma once

// One file for the ranks of a host, which `meridian pack` makes from their rank files. Layout on disk: FORMAT.md.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline constexpr int kContainerVersion = 1;
inline constexpr std::string_view kContainerSchema = "meridian-ranks";

/// Whether a file of this name is a container: "ranks-node17.h5".
bool is_container_name(const std::filesystem::path& path);
/// Whether a file of this name belongs to the ranks of a trace: "rank-..." of any kind, or a container.
bool is_of_ranks(const std::filesystem::path& path);
/// The containers in a directory, sorted; none if it cannot be listed.
std::vector<std::filesystem::path> containers_in(const std::filesystem::path& directory);

/// "rank-00003"
std::string rank_group_name(std::int32_t rank);
/// 3 for rank-00003 and rank-00003.h5; -1 for another name.
std::int32_t rank_in_name(const std::filesystem::path& name);

/// A container for reading. Not thread-safe; movable. Its ranks share one HDF5 file, and do not need this object.
class RankContainer {
 public:
  /// errors  not_found, io, damaged (not HDF5, no container, its groups cannot be listed), unsupported (newer version)
  static Result<RankContainer> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return path_; }
  const std::string& hostname() const noexcept { return hostname_; }
  /// The names of the ranks' groups, sorted.
  const std::vector<std::string>& groups() const noexcept { return groups_; }
  /// "ranks-node17.h5/rank-00003", as messages name a rank.
  std::string name_of(const std::string& group) const;
  /// The rank in a group. errors: as those of RankFile::open() for a file.
  Result<RankFile> rank(const std::string& group) const;

 private:
  friend class RankContainerWriter;
  RankContainer() = default;

  std::filesystem::path path_;
  std::shared_ptr<const RankSource> source_;  // without a group
  std::string hostname_;
  std::vector<std::string> groups_;
};

}  // namespace meridian
