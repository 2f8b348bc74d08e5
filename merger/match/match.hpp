#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "merger/clocks/clock_map.hpp"
#include "merger/event_row.hpp"
#include "merger/findings.hpp"
#include "merger/load/objects.hpp"
#include "merger/load/unify_definitions.hpp"
#include "merger/match/lock_table.hpp"
#include "merger/match/match_collectives.hpp"
#include "merger/match/match_messages.hpp"
#include "merger/match/recording_gaps.hpp"
#include "merger/sites/sites.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "merger/statistics/user_statistics.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// Take rows, some at a time.
using RowSink = std::function<Status(std::span<const EventRow>)>;
using MessageSink = std::function<Status(std::span<const MatchedMessage>)>;
using PartSink = std::function<Status(std::span<const CollectivePart>)>;
struct MatchSinks {
  RowSink rows;
  MessageSink messages;
  PartSink parts;
};
/// Told now and then how many of all calls have been read.
using CallCounter = std::function<void(std::uint64_t)>;

/// The ranks of a trace with what the passes found out about them.
struct Trace {
  std::vector<RankFile*> files;             ///< ordered by rank
  std::vector<World> worlds;                ///< at least one
  std::vector<std::uint32_t> rank_index;    ///< [ranks of all worlds]: place in `files`; MessageMatcher::kMissing
  std::vector<NamedCall> calls;             ///< of the merged file
  std::vector<std::uint16_t> unknown_call;  ///< [files]: number of the calls that this build does not know
  Communicators communicators;
  UserDefinitions user;
  Objects objects;
  TraceGaps gaps;
  Clocks clocks;
  std::unique_ptr<SiteTable> sites;                  ///< fills while calls are read
  std::unique_ptr<PathTable> paths;                  ///< likewise
  std::vector<RankSites> rank_sites;                 ///< [files]
  std::vector<std::vector<std::uint32_t>> routines;  ///< [files][threads]: site of the start routine
  std::uint64_t events = 0;
  bool has_sites = false;   ///< some calls have one
  bool has_stacks = false;  ///< some calls have one
};

struct Matched {
  MessageTotals messages;
  CollectiveTotals collectives;
  MessageTotals user_messages;
  std::vector<ValueTotals> counters;  ///< [UserDefinitions::list]
  ObjectTotals objects;
  std::vector<LockTable> locks;  ///< [files]
  std::uint64_t reversed() const noexcept { return messages.reversed + collectives.reversed + user_messages.reversed; }
};

enum class MatchUntil { end, reversed };

/// Replays all ranks together in order of global time and pairs messages and collectives by identity.
///
/// sinks     get every call's row in global order (time, rank, thread, sequence) as the clocks alone give it, every
///           message, and every part of a collective; an empty sink is passed by.
/// until     reversed: returns soon after something turns out to be out of order, with an incomplete result.
/// Memory follows what is under way: ranks, threads, channels, open requests; not the length of the trace.
Result<Matched> match(Trace& trace, MatchUntil until, const MatchSinks& sinks, Findings& findings,
                      const CallCounter& counter);

}  // namespace meridian
