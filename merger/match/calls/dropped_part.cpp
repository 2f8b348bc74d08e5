// SPDX-License-Identifier: Apache-2.0
// Where a rank continues whose first calls were dropped.

#include "merger/match/calls/call_tracker.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

void CallTracker::begin_after(const RankMeta& meta) {
  if (at_.matchers == nullptr) return;
  for (const DroppedMessagesRow& row : meta.dropped.messages)
    if (const LocalComm* const comm = at_.resolver->at(row.comm, row.seen_ticks))
      at_.matchers->messages.skip(at_.rank_index, *comm, row);
  for (const DroppedCollectivesRow& row : meta.dropped.collectives)
    if (const LocalComm* const comm = at_.resolver->at(row.comm, row.seen_ticks))
      at_.matchers->collectives.skip(at_.rank_index, *comm, row.entered, row.initialised);
  for (const OpenRequestRow& row : meta.dropped.requests)
    if (const LocalComm* const comm = at_.resolver->at(row.comm, row.made_ticks))
      add_before(row, meta.calls[row.call], *comm);
}

void CallTracker::add_before(const OpenRequestRow& row, CallId call, const LocalComm& comm) {
  const CallFacts& what = facts_of(call);
  Request request;
  request.comm = &comm;
  request.peer = row.peer;
  request.tag = row.tag;
  request.bytes = row.bytes;
  request.is_persistent = is_persistent(what.role);
  request.is_partitioned = what.role == Role::psend_init || what.role == Role::precv_init;
  request.is_active = !request.is_persistent;
  request.is_size_unreliable = what.role == Role::isendrecv;
  const bool is_send = what.role == Role::send_init || what.role == Role::psend_init;
  request.kind = is_send ? Request::Kind::send : Request::Kind::receive;
  if (what.role == Role::collective_init) {
    request.kind = Request::Kind::collective;
    Collective arguments;
    arguments.root = row.root;
    arguments.send_bytes = row.send_bytes;
    arguments.receive_bytes = row.receive_bytes;
    const std::uint32_t series = at_.matchers->collectives.skip_series(at_.rank_index, comm, row.series, row.started);
    request.collective = requests_.add_collective({series, &what, arguments});
  } else if (!request.is_persistent && (row.peer == kAnySource || row.tag == kAnyTag)) {  // others have their places
    Caller caller;
    caller.rank_index = at_.rank_index;
    caller.span = {row.thread, row.made_ticks, row.made_ticks};
    request.receive = at_.matchers->messages.post_before(caller, comm, row.peer, row.tag);
  }
  requests_.add_before(row.request, request);
}

}  // namespace meridian
