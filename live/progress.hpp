// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether the ranks of a running program make progress, read from their rings: cheap enough to be repeated every second.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "live/rank_now.hpp"
#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// CPU seconds of threads, by process and kernel tid.
using CpuTimes = std::map<std::pair<std::int32_t, std::int32_t>, double>;

/// The ranks of a program on this host.
class WatchedRanks {
 public:
  explicit WatchedRanks(std::filesystem::path directory) : directory_{std::move(directory)} {}

  /// Finds ranks that have started since. Returns whether there are any.
  bool find_new();
  bool is_any_alive() const;
  std::size_t count() const { return rings_.size(); }
  /// Ranks whose rings are on other hosts, when find_new() was called.
  std::size_t elsewhere() const { return elsewhere_; }

  /// What changes when a call begins or ends, or any other record is stored.
  std::vector<std::uint64_t> mark() const;
  CpuTimes cpu_times() const;

  /// Sends SIGTERM to the processes that are alive and belong to this user. Returns their number.
  std::size_t terminate() const;

 private:
  std::filesystem::path directory_;
  std::set<std::filesystem::path> known_;
  std::vector<RingFile> rings_;
  std::size_t elsewhere_ = 0;
};

/// World ranks that did not wait: a thread outside recorded calls used the processor for `kLeastWork` of the time.
///
/// before, after  elapsed_s apart
std::vector<std::int32_t> computing_ranks(const std::vector<RankNow>& ranks, const CpuTimes& before,
                                          const CpuTimes& after, double elapsed_s);
inline constexpr double kLeastWork = 0.05;

}  // namespace meridian
