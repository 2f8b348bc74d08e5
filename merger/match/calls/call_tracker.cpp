// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/call_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kMostPolls = std::uint64_t{1} << 48;  // more mean damage

void describe_polls(const Call& call, EventRow& row) {
  const std::uint64_t ticks = call.leave_ticks - call.enter_ticks;
  const std::uint64_t outside = ticks - std::min(call.polls->inside_ticks, ticks);
  row.is_phase = true;
  row.bytes_sent = std::clamp<std::uint64_t>(call.polls->calls, 1, kMostPolls);
  row.bytes_received =
      ticks == 0 ? 0
                 : static_cast<std::uint64_t>(std::llround(static_cast<double>(row.duration_ns) *
                                                           static_cast<double>(outside) / static_cast<double>(ticks)));
}

}  // namespace

EventRow CallTracker::enter(const Call& call, std::uint32_t thread_index) {
  EventRow row;
  row.enter_ns = at_.clock.to_global(call.enter_ticks);
  row.duration_ns = at_.clock.to_global(call.leave_ticks) - row.enter_ns;
  row.sequence = call.event & EventRow::kMaxSequence;
  row.rank = at_.rank;
  row.thread = call.thread;
  row.call = call.call == CallId::none ? at_.unknown_call : static_cast<std::uint16_t>(call.call);
  row.flags = call.flags;
  if (call.site != 0) row.path = at_.sites->path(call.site, call.node) & 0xfffff;
  if (call.has(kFlagUnfinished) && at_.matchers != nullptr)
    at_.findings->add(FindingId::call_unfinished, 1,
                      [&] { return "rank " + std::to_string(at_.rank) + " in " + std::string{info(call.call).name}; });
  if (at_.locks != nullptr && (call.payload == Payload::lock || call.payload == Payload::thread_op)) {
    const bool lasted_to_the_end = call.has(kFlagUnfinished) && at_.end_ticks > call.enter_ticks;
    const std::int64_t duration_ns =
        lasted_to_the_end ? at_.clock.to_global(at_.end_ticks) - row.enter_ns : row.duration_ns;
    at_.locks->add(call, row.enter_ns, duration_ns);
    at_.locks->add_join(call, duration_ns);
  }
  if (at_.threads_awaited != nullptr) at_.threads_awaited->add(call);
  if (at_.lock_order != nullptr) at_.lock_order->add(call, static_cast<std::uint32_t>(row.path));
  const CallFacts& what = facts_of(call.call);
  Pending& pending = pending_[thread_index];
  const bool is_p2p = call.payload == Payload::p2p;
  if (call.payload == Payload::polls) {
    if (call.polls->comm != 0) describe(row, at_.resolve(call.polls->comm, call), call.polls->peer, call.polls->tag);
    describe_polls(call, row);
    return row;
  }
  switch (what.role) {
    case Role::plain:
    case Role::init:
    case Role::finalize:
    case Role::session_init:
    case Role::session_finalize:
      enter_other(call, what, row);
      break;
    case Role::send:
    case Role::isend:
      if (is_p2p) messages_.enter_send(call, *call.p2p, row, pending);
      break;
    case Role::receive:
      if (is_p2p) messages_.enter_blocking_receive(call, *call.p2p, row, pending);
      break;
    case Role::irecv:
      if (is_p2p) messages_.enter_receive(call, *call.p2p, row, pending);
      break;
    case Role::sendrecv:
    case Role::isendrecv:
      if (call.payload == Payload::sendrecv) messages_.enter_sendrecv(call, row, pending);
      break;
    case Role::send_init:
    case Role::recv_init:
    case Role::psend_init:
    case Role::precv_init:
      if (is_p2p) messages_.enter_init(call, row, pending);
      break;
    case Role::probe:
    case Role::mprobe:
      if (is_p2p) messages_.enter_probe(call, row, pending, what.role == Role::mprobe);
      break;
    case Role::mrecv:
    case Role::imrecv:
      if (is_p2p) messages_.enter_matched_receive(call, row, pending);
      break;
    case Role::complete:
      requests_.enter_complete(call, row, pending);
      break;
    case Role::start:
      requests_.enter_start(call, row);
      break;
    case Role::cancel:
      requests_.enter_cancel(call);
      break;
    case Role::request_free:
      requests_.enter_free(call, row);
      break;
    case Role::look_at:
      requests_.look_at(call);
      break;
    case Role::make_request:
      break;
    case Role::collective:
    case Role::icollective:
    case Role::collective_init:
      if (call.payload == Payload::coll) collectives_.enter(call, what, row, pending);
      break;
    case Role::put:
    case Role::get:
    case Role::exchange:
    case Role::use_comm:
    case Role::free_comm:
    case Role::make_window:
    case Role::open_file:
      enter_other(call, what, row);
      break;
  }
  return row;
}

void CallTracker::leave(const Call& call, std::uint32_t thread_index) {
  const CallFacts& what = facts_of(call.call);
  Pending& pending = pending_[thread_index];
  const bool is_p2p = call.payload == Payload::p2p;
  if (call.payload == Payload::polls) return;
  switch (what.role) {
    case Role::receive:
    case Role::mrecv:
      if (is_p2p) messages_.leave_receive(call, pending);
      break;
    case Role::sendrecv:
      if (call.payload == Payload::sendrecv) messages_.leave_receive(call, pending);
      break;
    case Role::isend:
    case Role::irecv:
    case Role::imrecv:
    case Role::send_init:
    case Role::recv_init:
    case Role::psend_init:
    case Role::precv_init:
      if (is_p2p) messages_.make_request(call, what, pending);
      break;
    case Role::isendrecv:
      if (call.payload == Payload::sendrecv) messages_.make_request(call, what, pending);
      break;
    case Role::mprobe:
      if (is_p2p) messages_.leave_matched_probe(call, pending);
      break;
    case Role::complete:
      requests_.leave_complete(call, pending);
      break;
    case Role::collective:
    case Role::icollective:
    case Role::collective_init:
      if (call.payload == Payload::coll) collectives_.leave(call, what, pending);
      break;
    case Role::make_request:
      if (call.payload == Payload::handle && !did_nothing(call)) requests_.add(call, call.handle->handle, {});
      break;
    case Role::put:
    case Role::get:
    case Role::exchange:
      if (call.payload == Payload::rma) requests_.add(call, call.rma->request, {});
      if (call.payload == Payload::io) requests_.add(call, call.io->request, {});
      break;
    default:
      if (call.payload == Payload::comm)
        if (const CommResolver::Birth* made = at_.resolver->made_by(call.thread, call.enter_ticks))
          requests_.add(call, made->request, {});
      break;
  }
}

void CallTracker::enter_other(const Call& call, const CallFacts& what, EventRow& row) {
  switch (call.payload) {
    case Payload::comm:
      if (const CommResolver::Birth* made = at_.resolver->made_by(call.thread, call.enter_ticks))
        row.comm = (*at_.communicators)[made->comm.comm].parent;
      break;
    case Payload::handle:
      if (what.role == Role::use_comm || what.role == Role::free_comm)
        if (const LocalComm* comm = at_.resolver->at(call.handle->handle, call.enter_ticks)) row.comm = comm->comm;
      break;
    case Payload::user:
      user_.enter(call, row);
      break;
    case Payload::rma:
    case Payload::io: {
      const std::uint64_t bytes = call.payload == Payload::rma ? call.rma->bytes : call.io->bytes;
      if (what.role == Role::put || what.role == Role::exchange) row.bytes_sent = bytes;
      if (what.role == Role::get || what.role == Role::exchange) row.bytes_received = bytes;
      break;
    }
    default:
      break;
  }
  if (at_.matchers == nullptr || call.payload == Payload::local) return;
  at_.matchers->objects.add(at_.rank_index, call, what, row);
  const bool is_of_window =
      call.payload == Payload::rma || (call.payload == Payload::handle && info(call.call).group == CallGroup::rma);
  if (is_of_window) at_.matchers->windows.add(at_.caller(call), call, what);
  if (info(call.call).group == CallGroup::io) at_.matchers->files.add(at_.caller(call), call, what);
}

}  // namespace meridian
