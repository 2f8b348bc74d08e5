// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "merged/model/wait_sink.hpp"
#include "merger/load/load_ranks.hpp"
#include "merger/model/clocks.hpp"
#include "processes/processes.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Receives the progress, 0 to 1, and the pass that is running ("matching").
using MergeProgress = std::function<void(double fraction, std::string_view pass)>;

struct MergeOptions {
  std::filesystem::path output{};  ///< empty: merged.h5 in the directory
  ClockOptions clocks{};
  bool removes_overhead = false;  ///< subtracts the tracer's direct cost from the times of events
  bool force = false;             ///< merge the largest of several runs; overwrite an output that is not a merged file
  MergeProgress progress{};       ///< may be empty
  std::function<void(std::string_view pass)> watch{};  ///< may be empty: called before each pass
  Processes* processes = nullptr;  ///< those that open and read the rank files, of which this is 0; null: only this one
  RecoverRank recover{};           ///< may be empty: unfinished recordings are then a finding
  /// May be empty. Called with the output before anything is written there; its error ends the merge.
  std::function<Status(const std::filesystem::path& output)> claim{};
  /// May be empty. Called with the HDF5 file (hid_t) when it has everything except the waits and the summary, to
  /// which it may add.
  std::function<Status(std::int64_t file, WaitSink& waits, Summary& summary)> analyse{};
};

struct MergeOutcome {
  Summary summary;
  std::filesystem::path path;  ///< of the merged file
};

/// Merges all ranks into one timeline and writes the merged file. The list of passes is in merge.cpp.
///
/// errors  those of load_ranks() and fit_clocks(); io: the output cannot be written; invalid_argument: the output
///         exists and is not a merged file. The output is replaced only after the merge is complete.
Result<MergeOutcome> merge(std::span<const std::filesystem::path> directories, const MergeOptions& options = {});
inline Result<MergeOutcome> merge(const std::filesystem::path& directory, const MergeOptions& options = {}) {
  return merge(std::span{&directory, 1}, options);
}

}  // namespace meridian
