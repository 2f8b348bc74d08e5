// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/repair_streams.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "merger/match/collectives/match_collectives.hpp"
#include "merger/repair/give_way.hpp"
#include "merger/repair/repair_backward.hpp"
#include "merger/repair/repair_forward.hpp"
#include "trace/model/result.hpp"

namespace meridian {
namespace {

Error broken_promise(const std::string& what) {
  return Error{Errc::invalid_argument, "cannot order the events: " + what,
               "this is a bug in the merger; keep the rank files and report it"};
}

/// Notes the moves of a stream's events at the knots around them.
class MovesOfStream {
 public:
  /// Without knots, if the clocks have no bounds.
  MovesOfStream(const Clocks& clocks, const RepairStream& stream, Repaired& repaired) {
    if (stream.chain >= clocks.domain_of.size()) return;
    const std::uint32_t domain = clocks.domain_of[stream.chain];
    if (domain >= clocks.bounds.domains.size()) return;
    knots_ = clocks.bounds.domains[domain];
    moves_ns_ = repaired.moves_ns[domain];
  }
  /// Times of one stream ascend.
  void add(std::int64_t was_ns, std::int64_t is_ns) {
    if (is_ns <= was_ns || knots_.empty()) return;
    while (after_ < knots_.size() && knots_[after_].time_ns <= is_ns) ++after_;
    for (const std::size_t k : {after_ == 0 ? 0 : after_ - 1, std::min(after_, knots_.size() - 1)})
      moves_ns_[k] = std::max(moves_ns_[k], is_ns - was_ns);
  }

 private:
  std::span<const ClockBoundKnot> knots_;
  std::span<std::int64_t> moves_ns_;
  std::size_t after_ = 0;  // the first knot after the latest event
};

Status write_stream(const RepairTables& tables, const RepairStream& stream, const Clocks& clocks, Repaired& repaired,
                    StreamTimes& out) {
  MovesOfStream moves{clocks, stream, repaired};
  std::int64_t before = INT64_MIN;
  for (std::uint64_t row = stream.first; row < stream.first + stream.events; ++row) {
    const TimePair& is = tables.moved[row];
    const TimePair& was = tables.times[row];
    if (is.enter_ns < before || is.leave_ns < is.enter_ns || is.enter_ns < was.enter_ns || is.leave_ns < was.leave_ns)
      return broken_promise("call " + std::to_string(row - stream.first) + " of rank " + std::to_string(stream.rank) +
                            ", thread " + std::to_string(stream.thread) + " is out of order after the repair");
    before = is.leave_ns;
    if (is.enter_ns != was.enter_ns || is.leave_ns != was.leave_ns) ++repaired.moved;
    repaired.largest_move_ns =
        std::max({repaired.largest_move_ns, is.enter_ns - was.enter_ns, is.leave_ns - was.leave_ns});
    moves.add(was.enter_ns, is.enter_ns);
    moves.add(was.leave_ns, is.leave_ns);
    out.times.append(is);
    if (row % kRowsBetweenReleases == 0) tables.release_pages();
  }
  return out.times.seal();
}

Status write_messages(const RepairTables& tables, TempSpool<MatchedMessage>& given, TempSpool<MatchedMessage>& out) {
  TempSpoolReader<MatchedMessage> reader{given};
  std::uint64_t count = 0;
  for (const MatchedMessage* message = reader.next(); message != nullptr; message = reader.next()) {
    MatchedMessage now = *message;
    now.send_enter_ns = tables.moved[tables.row_of(now.send)].enter_ns;
    now.post_enter_ns = tables.moved[tables.row_of(now.post)].enter_ns;
    now.receive_leave_ns = tables.moved[tables.row_of(now.completion)].leave_ns;
    out.append(now);
    if (++count % kRowsBetweenReleases == 0) tables.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  return out.seal();
}

Status write_parts(const RepairTables& tables, TempSpool<CollectivePart>& given, TempSpool<CollectivePart>& out) {
  TempSpoolReader<CollectivePart> reader{given};
  std::uint64_t count = 0;
  for (const CollectivePart* part = reader.next(); part != nullptr; part = reader.next()) {
    CollectivePart now = *part;
    if (tables.collectives.is_withdrawn(now.instance)) now.shape = CollectiveShape::none;
    now.enter_ns = tables.moved[tables.row_of(now.start)].enter_ns;
    now.leave_ns = tables.moved[tables.row_of(now.completion)].leave_ns;
    out.append(now);
    if (++count % kRowsBetweenReleases == 0) tables.release_pages();
  }
  MERIDIAN_TRY_DO(reader.status());
  return out.seal();
}

}  // namespace

Result<Repaired> repair_streams(RepairInput input, const Clocks& clocks, TempSpool<MatchedMessage>& messages,
                                TempSpool<CollectivePart>& collectives, const std::shared_ptr<TempFile>& scratch) {
  MERIDIAN_TRY(RepairTables tables,
               RepairTables::create(std::move(input), messages, collectives, scratch->directory()));
  MERIDIAN_TRY(const std::uint64_t gave_way, give_way(tables, clocks, scratch->directory()));
  MERIDIAN_TRY(const ForwardResult forward, replay_forward(tables, clocks));
  ramp_backward(tables, clocks, forward.is_chain_moved);

  Repaired repaired;
  repaired.withdrawn = forward.withdrawn;
  repaired.gave_way = gave_way;
  for (const auto& knots : clocks.bounds.domains) repaired.moves_ns.emplace_back(knots.size(), 0);
  for (const RepairStream& stream : tables.streams) {
    StreamTimes& out =
        repaired.streams.emplace_back(StreamTimes{stream.rank, stream.thread, TempSpool<TimePair>{scratch}});
    MERIDIAN_TRY_DO(write_stream(tables, stream, clocks, repaired, out));
  }
  repaired.messages = TempSpool<MatchedMessage>{scratch};
  repaired.collectives = TempSpool<CollectivePart>{scratch};
  MERIDIAN_TRY_DO(write_messages(tables, messages, repaired.messages));
  MERIDIAN_TRY_DO(write_parts(tables, collectives, repaired.collectives));

  MERIDIAN_TRY(repaired.reversed_after, count_reversed(repaired.messages, repaired.collectives));
  if (repaired.reversed_after != 0)
    return broken_promise(std::to_string(repaired.reversed_after) + " messages or collectives are still reversed");
  return repaired;
}

Result<std::uint64_t> count_reversed(TempSpool<MatchedMessage>& messages, TempSpool<CollectivePart>& collectives) {
  std::uint64_t reversed = 0;
  TempSpoolReader<MatchedMessage> message_reader{messages};
  for (const MatchedMessage* message = message_reader.next(); message != nullptr; message = message_reader.next())
    if (message->receive_leave_ns <= message->send_enter_ns) ++reversed;
  MERIDIAN_TRY_DO(message_reader.status());

  std::vector<CollectivePart> instance;
  const auto close = [&] {
    std::ranges::stable_sort(instance, {}, &CollectivePart::comm_rank);
    if (is_reversed(instance)) ++reversed;
    instance.clear();
  };
  TempSpoolReader<CollectivePart> part_reader{collectives};
  for (const CollectivePart* part = part_reader.next(); part != nullptr; part = part_reader.next()) {
    if (!instance.empty() && instance.front().instance != part->instance) close();
    instance.push_back(*part);
  }
  MERIDIAN_TRY_DO(part_reader.status());
  close();
  return reversed;
}

}  // namespace meridian
