#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "merger/clocks/clock_map.hpp"
#include "merger/load/load_ranks.hpp"
#include "trace/format/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// How far the work is, 0 to 1, and what is being done ("reading the ranks").
using MergeProgress = std::function<void(double fraction, std::string_view pass)>;

struct MergeOptions {
  std::filesystem::path output{};  ///< empty: merged.h5 in the directory
  ClockOptions clocks{};
  bool force = false;        ///< take the largest of several runs; overwrite an output that is no merged file
  MergeProgress progress{};  ///< may be empty
  RecoverRank recover{};     ///< may be empty: recordings that nobody finished then are a finding
};

struct MergeOutcome {
  Summary summary;
  std::filesystem::path path;  ///< of the merged file

  /// Whether a finding of severity error was met: the exit code is then 2.
  bool has_errors() const;
};

/// Puts all ranks of a run on one clock and in one order, and writes the merged file.
///
/// errors  what load_ranks() and fit_clocks() say; io: the output cannot be written; invalid_argument: the output
/// exists
///         and is something else. The output is replaced when the work is complete, not before.
Result<MergeOutcome> merge(std::span<const std::filesystem::path> directories, const MergeOptions& options = {});
inline Result<MergeOutcome> merge(const std::filesystem::path& directory, const MergeOptions& options = {}) {
  return merge(std::span{&directory, 1}, options);
}

}  // namespace meridian
