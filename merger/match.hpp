#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "merger/clock_map.hpp"
#include "merger/compute_statistics.hpp"
#include "merger/event_row.hpp"
#include "merger/findings.hpp"
#include "merger/match_collectives.hpp"
#include "merger/match_messages.hpp"
#include "merger/temp_spool.hpp"
#include "merger/unify_definitions.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// Takes rows in global order, some at a time.
using RowSink = std::function<Status(std::span<const EventRow>)>;
/// Told now and then how many of all calls have been read.
using CallCounter = std::function<void(std::uint64_t)>;

/// The ranks of a trace with what the passes found out about them.
struct Trace {
  std::vector<RankFile*> files;             ///< ordered by rank
  std::vector<std::uint32_t> rank_index;    ///< [world size]: place in `files`; MessageMatcher::kMissing
  std::vector<NamedCall> calls;             ///< of the merged file
  std::vector<std::uint16_t> unknown_call;  ///< [files]: number of the calls that this build does not know
  Communicators communicators;
  Clocks clocks;
  std::uint64_t events = 0;
};

struct Matched {
  TempSpool<MatchedMessage> messages;
  TempSpool<CollectivePart> collectives;
  MessageTotals message_totals;
  CollectiveTotals collective_totals;
  bool is_ordered = true;  ///< nothing is reversed: the rows that were given away stand
};

/// Replays all ranks together in order of global time and pairs messages and collectives by identity.
///
/// rows     gets every call's row in global order (time, rank, thread, sequence) as the clocks alone give it, until the
///          first message or collective turns out to be reversed; then nothing more.
/// scratch  where what is paired goes.
/// Memory follows what is under way: ranks, threads, channels, open requests; not the length of the trace.
Result<Matched> match(Trace& trace, const std::shared_ptr<TempFile>& scratch, Findings& findings, const RowSink& rows,
                      const CallCounter& counter);

}  // namespace meridian
