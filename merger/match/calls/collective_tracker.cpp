// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/collective_tracker.hpp"

#include <utility>

#include "trace/model/collective_bytes.hpp"

namespace meridian {

void CollectiveTracker::enter(const Call& call, const CallFacts& what, EventRow& row, Pending& pending) {
  pending.part = {};
  pending.series = 0;
  const LocalComm* comm = pending.comm = at_.resolve(call.coll->comm, call);
  if (comm == nullptr) return;
  row.comm = comm->comm;
  describe(row, comm, call.coll->root, kNoTag);
  if (what.role == Role::collective_init) {
    if (at_.matchers != nullptr && !call.has(kFlagFailed) && !sides_.is_unsure(call, *comm))
      pending.series = at_.matchers->collectives.new_series(at_.rank_index, *comm);
    return;
  }
  if (did_nothing(call)) return;  // the ranks that did not fail wait for the next one
  const CollectiveBytes bytes =
      collective_bytes(what.bytes, *call.coll, comm->peers->size(), comm->rank, comm->is_inter);
  row.bytes_sent = bytes.sent;
  row.bytes_received = bytes.received;
  if (at_.matchers != nullptr && !sides_.is_unsure(call, *comm))
    pending.part = at_.matchers->collectives.enter(at_.caller(call), *comm, what, *call.coll);
}

void CollectiveTracker::leave(const Call& call, const CallFacts& what, Pending& pending) {
  const PartId part = std::exchange(pending.part, {});
  const bool has_failed = call.has(kFlagFailed) || call.has(kFlagUnfinished);
  const bool is_alone = pending.comm != nullptr && !pending.comm->is_inter && pending.comm->peers->size() == 1;
  if (what.role == Role::collective || has_failed || is_alone) {
    if (part.instance != PartId::kNone) {
      if (call.has(kFlagUnfinished))
        at_.matchers->collectives.abandon(part);
      else
        at_.matchers->collectives.leave(part, at_.caller(call));
    }
  }
  if (what.role == Role::collective || has_failed) return;
  Request request;
  if (what.role == Role::collective_init) {
    request.kind = Request::Kind::collective;
    request.is_persistent = true;
    request.is_active = false;
    request.collective = requests_.add_collective({pending.series, &what, *call.coll});
  } else if (!is_alone) {
    request.kind = Request::Kind::collective;
    request.part = part;
  }
  request.comm = pending.comm;
  requests_.add(call, call.coll->request, request);
}

}  // namespace meridian
