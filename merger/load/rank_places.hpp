// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the ranks of a directory are: in files of their own, or in containers.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "merger/readers/rank_readers.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The contents of a directory; each list is sorted.
struct DirectoryContents {
  std::vector<std::filesystem::path> rank_files;
  std::vector<std::filesystem::path> containers;
  std::vector<std::filesystem::path> notes;  ///< .ring files of ranks that are not finished
  std::vector<std::filesystem::path>
      finished;  ///< .done files of complete ranks whose leftovers may not be removed yet
  std::vector<std::string> others;
  std::vector<std::string> run_directories;  ///< subdirectories that hold ranks
};

/// errors  not_found, invalid_argument (not a directory), io
Result<DirectoryContents> list_contents(const std::filesystem::path& directory);

/// The error of a directory that holds no ranks.
Error nothing_here(const std::filesystem::path& directory, const DirectoryContents& contents);

struct FoundRank {
  std::filesystem::path path;  ///< the file or container
  std::string name;            ///< in that directory: "rank-00003.h5", "ranks-node17.h5/rank-00003"
  RankFile file;
  std::string group{};  ///< in the container; empty: a file of the rank's own
};
struct UnreadableRank {
  std::string name;        ///< as above; only the container's if nothing in it can be read
  std::int32_t rank = -1;  ///< according to the name; -1: unknown
  Error error;
};
struct FoundRanks {
  std::vector<FoundRank> ranks;
  std::vector<UnreadableRank> unreadable;
};

/// Opens the rank file, which must have a valid rank.
Result<RankFile> open_valid_rank(const std::filesystem::path& path);

/// Opens all ranks. A recording that is both in a container and elsewhere, because packing was interrupted, occurs once.
///
/// readers  the processes that open and read them; null: only this one
/// errors   those of RankReaders::open()
Result<FoundRanks> open_ranks(const DirectoryContents& contents, RankReaders* readers = nullptr);

}  // namespace meridian
