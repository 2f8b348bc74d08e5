// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state that the passes of a merge share.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "merger/clocks/clock_pass.hpp"
#include "merger/load/load_ranks.hpp"
#include "merger/match/match.hpp"
#include "merger/merge.hpp"
#include "merger/model/findings.hpp"
#include "merger/model/trace.hpp"
#include "merger/output/background_writer.hpp"
#include "merger/output/merged_file.hpp"
#include "merger/readers/rank_readers.hpp"
#include "merger/repair/repair_causality.hpp"
#include "merger/statistics/comm_statistics.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "merger/statistics/user_statistics.hpp"
#include "trace/containers/temp_file.hpp"
#include "trace/containers/temp_spool.hpp"

namespace meridian {

/// The file under construction, and the statistics of the events written to it.
struct Destination {
  MergedFileWriter file;
  Statistics statistics;
  UserStatistics user;
  CommStatistics comms;
  std::vector<std::int64_t> end_ns;  ///< [rank] when its end was seen; the smallest number: unknown

  static Result<Destination> open(const std::filesystem::path& output, const Trace& trace);
  /// In global order. In the statistics, a call that had not returned lasted until the end of its rank, if that was
  /// seen; in the file it has no duration, as in the rank file.
  Status append(std::span<const EventRow> rows);
  /// Everything that matching found.
  Status append(const MatchedRows& rows);
};

/// Pairs, stored on disk until their times are final.
struct Pairs {
  std::shared_ptr<TempFile> scratch;
  TempSpool<MatchedMessage> messages;
  TempSpool<CollectivePart> parts;
  TempSpool<AwaitedCall> awaited;
};

/// The state of one merge. Each field names the passes that fill it in. Fields refer to the trace and to the ranks, so
/// the state does not move.
struct Merge {
  Merge(std::span<const std::filesystem::path> directories_, const MergeOptions& options_,
        std::filesystem::path output_)
      : directories{directories_}, options{options_}, output{std::move(output_)} {}
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;

  std::span<const std::filesystem::path> directories;
  const MergeOptions& options;
  std::filesystem::path output;
  /// Reports the progress of the present pass, as a number of calls. Set by the runner.
  CallCounter report = [](std::uint64_t) {};

  std::optional<RankReaders> readers;      ///< load_ranks; none: this process reads all ranks
  LoadedRanks ranks;                       ///< load_ranks
  Findings of_files;                       ///< load_ranks: findings that matching cannot change
  std::size_t known_damage = 0;            ///< find_damage: number of parts that matching knew to be unreadable
  Findings findings;                       ///< every pass
  Trace trace;                             ///< unify_definitions; its clocks by the passes on clocks
  ClockPass clocks;                        ///< refine_clocks, split_clocks
  Matched matched;                         ///< match_in_one_go, match_messages
  bool is_in_order = false;                ///< match_in_one_go: no pair is reversed, but times are not final
  std::uint64_t reversed_after = 0;        ///< repair_causality: pairs still out of order
  std::optional<Pairs> pairs;              ///< match_messages, repair_causality; released by write_pairs
  std::vector<StreamTimes> times;          ///< repair_causality
  std::optional<Destination> destination;  ///< match_in_one_go, order_events; later passes add to it
  std::vector<SourcePlace> places;         ///< resolve_sites
  CounterTotals counters;                  ///< count_events
  std::vector<RankMemorySummary> memory;   ///< merge_samples
  Summary summary;                         ///< summarize
};

}  // namespace meridian
