// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/rank_context.hpp"

#include <string>

namespace meridian {

Caller RankContext::caller(const Call& call) const noexcept {
  return {rank_index,
          {call.thread, call.enter_ticks, call.leave_ticks},
          {rank, call.thread, call.event},
          clock.to_global(call.enter_ticks),
          clock.to_global(call.leave_ticks),
          gaps != nullptr ? gaps->epoch(call.enter_ticks) : 0,
          gaps != nullptr && call.enter_ticks >= gaps->countable_until};
}

const LocalComm* RankContext::resolve(std::uint64_t handle, const Call& call) const {
  const LocalComm* comm = resolver->at(handle, call.enter_ticks);
  if (comm == nullptr && matchers != nullptr && !did_nothing(call))  // otherwise nothing is missing
    findings->add(FindingId::comm_unknown, 1, [&] {
      return "rank " + std::to_string(rank) + " thread " + std::to_string(call.thread) + " call " +
             std::to_string(call.event);
    });
  return comm;
}

void describe(EventRow& row, const LocalComm* comm, std::int32_t peer, std::int32_t tag) noexcept {
  row.tag = tag >= 0 ? tag : kNoTag;
  if (comm == nullptr) return;
  row.comm = comm->comm;
  const std::int32_t world = peer >= 0 ? comm->world_rank(peer) : kNoPeer;
  row.peer = world >= 0 ? world : kNoPeer;
}

void describe_nobody(EventRow& row) noexcept {
  row.comm = kNoComm;
  row.peer = kNoPeer;
  row.tag = kNoTag;
}

}  // namespace meridian
