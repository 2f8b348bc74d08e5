// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/message_tracker.hpp"

#include <utility>

#include "trace/model/message_bytes.hpp"

namespace meridian {

void MessageTracker::enter_send(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending) {
  pending.open_send = OpenSends::kNone;
  const LocalComm* comm = pending.comm = at_.resolve(p2p.comm, call);
  describe(row, comm, p2p.peer, p2p.tag);
  if (did_nothing(call) || p2p.peer == kProcNull) return;
  row.bytes_sent = bytes_of(p2p);
  if (comm == nullptr || at_.matchers == nullptr || p2p.peer < 0) return;
  const std::uint64_t bytes = call.has(kFlagUnfinished) ? kUnknownBytes : row.bytes_sent;
  if (sides_.is_left_out(call, *comm, true, bytes == kUnknownBytes ? -1 : static_cast<std::int64_t>(bytes))) {
    pending.send_number = ~std::uint64_t{0};
    return;
  }
  MessageMatcher& messages = at_.matchers->messages;
  const bool has_request = facts_of(call.call).role == Role::isend && !call.has(kFlagUnfinished);
  if (has_request && p2p.request != 0) pending.open_send = messages.open_sends().add();
  pending.send_number = messages.send(at_.caller(call), *comm, p2p.peer, p2p.tag, bytes, false, pending.open_send);
}

void MessageTracker::enter_receive(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending) {
  pending.receive = kNoReceive;
  const LocalComm* comm = pending.comm = at_.resolve(p2p.comm, call);
  describe(row, comm, p2p.peer, p2p.tag);
  row.is_any_source = p2p.peer == kAnySource;
  if (call.has(kFlagFailed) || call.has(kFlagUnfinished) || p2p.peer == kProcNull) return;
  if (comm != nullptr && at_.matchers != nullptr)
    pending.receive = sides_.post(call, *comm, p2p.peer, p2p.tag, bytes_of(p2p));
}

void MessageTracker::enter_blocking_receive(const Call& call, const PointToPoint& p2p, EventRow& row,
                                            Pending& pending) {
  pending.receive = kNoReceive;
  const LocalComm* comm = at_.resolve(p2p.comm, call);
  describe(row, comm, p2p.peer, p2p.tag);
  row.is_any_source = p2p.peer == kAnySource;
  if (p2p.peer == kProcNull) return;
  if (call.completion_count != 0 && !call.has(kFlagUnfinished)) {
    const Completion& found = call.completions[0];
    if (!has_message(found)) return;
    describe(row, comm, found.source, found.tag);
    const std::int64_t bytes = received_bytes(call.flags, found, bytes_of(p2p));
    row.bytes_received = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
    if (comm != nullptr && at_.matchers != nullptr && !sides_.is_left_out(call, *comm, false, bytes))
      pending.receive = at_.matchers->messages.post(at_.caller(call), *comm, found.source, found.tag);
  } else if (call.has(kFlagUnfinished) && comm != nullptr && at_.matchers != nullptr &&
             !sides_.is_unsure(call, *comm)) {
    if (p2p.peer == kAnySource || p2p.tag == kAnyTag)
      at_.matchers->messages.count_stale_receive(at_.caller(call), p2p.peer, p2p.tag);
    else
      (void)at_.matchers->messages.post(at_.caller(call), *comm, p2p.peer, p2p.tag);
  }
}

void MessageTracker::enter_sendrecv(const Call& call, EventRow& row, Pending& pending) {
  EventRow received = row;
  if (facts_of(call.call).role == Role::sendrecv)
    enter_blocking_receive(call, call.p2p[1], received, pending);
  else
    enter_receive(call, call.p2p[1], received, pending);
  const ReceiveId receive = pending.receive;
  enter_send(call, call.p2p[0], row, pending);
  pending.receive = receive;
  row.bytes_received = received.bytes_received;
  row.is_any_source = received.is_any_source;
}

void MessageTracker::enter_init(const Call& call, EventRow& row, Pending& pending) {
  pending.comm = at_.resolve(call.p2p->comm, call);
  describe(row, pending.comm, call.p2p->peer, call.p2p->tag);
}

void MessageTracker::enter_probe(const Call& call, EventRow& row, Pending& pending, bool takes_message) {
  pending.receive = kNoReceive;
  const LocalComm* comm = pending.comm = at_.resolve(call.p2p->comm, call);
  describe(row, comm, call.p2p->peer, call.p2p->tag);
  row.is_any_source = call.p2p->peer == kAnySource;
  if (call.completion_count == 0 || call.has(kFlagUnfinished) || !has_message(call.completions[0])) return;
  const Completion& found = call.completions[0];
  describe(row, comm, found.source, found.tag);
  if (takes_message && comm != nullptr && at_.matchers != nullptr &&
      !sides_.is_left_out(call, *comm, false, found.bytes))
    pending.receive = at_.matchers->messages.post(at_.caller(call), *comm, found.source, found.tag);
}

void MessageTracker::enter_matched_receive(const Call& call, EventRow& row, Pending& pending) {
  pending.receive = kNoReceive;
  pending.comm = nullptr;
  const HandleKey handle{call.p2p->comm};
  const std::uint32_t number = by_handle_.find(handle);
  if (number == IndexMap<HandleKey>::kNone || did_nothing(call)) return;
  const Message message = messages_[number];
  by_handle_.erase(handle);
  free_messages_.push_back(number);
  if (message.stretch != at_.stretch(call)) return;  // calls were lost in between: it may be another message
  pending.comm = message.comm;
  pending.receive = message.receive;
  row.is_any_source = message.is_any_source;
  if (message.receive != kNoReceive && at_.matchers != nullptr)
    at_.matchers->messages.set_receiver(message.receive, at_.caller(call));
  const bool is_found = call.completion_count != 0 && !call.has(kFlagUnfinished) && has_message(call.completions[0]);
  describe(row, message.comm, is_found ? call.completions[0].source : kNoPeer,
           is_found ? call.completions[0].tag : kNoTag);
  if (!is_found) return;
  const std::int64_t bytes = received_bytes(call.flags, call.completions[0], bytes_of(*call.p2p));
  if (bytes > 0) row.bytes_received = static_cast<std::uint64_t>(bytes);
}

void MessageTracker::leave_receive(const Call& call, Pending& pending) {
  const ReceiveId receive = std::exchange(pending.receive, kNoReceive);
  if (receive == kNoReceive || at_.matchers == nullptr) return;
  if (call.completion_count == 0 || call.has(kFlagUnfinished)) {
    at_.matchers->messages.abandon(receive);
    return;
  }
  const Completion& found = call.completions[0];
  const PointToPoint& received = call.p2p[call.payload == Payload::sendrecv ? 1 : 0];
  sides_.complete(receive, call, found.source, found.tag, received_bytes(call.flags, found, bytes_of(received)));
}

void MessageTracker::leave_matched_probe(const Call& call, const Pending& pending) {
  if (pending.comm == nullptr || call.p2p->request == 0 || call.completion_count == 0) return;
  std::uint32_t number;
  if (free_messages_.empty()) {
    number = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    number = free_messages_.back();
    free_messages_.pop_back();
  }
  messages_[number] = {pending.comm, pending.receive, at_.stretch(call), call.p2p->peer == kAnySource};
  by_handle_.set({call.p2p->request}, number);
}

void MessageTracker::make_request(const Call& call, const CallFacts& what, Pending& pending) {
  if (call.has(kFlagFailed) || call.has(kFlagUnfinished)) return;
  const PointToPoint& p2p = call.p2p[0];
  Request request;
  request.comm = pending.comm;
  request.peer = p2p.peer;
  request.tag = p2p.tag;
  switch (what.role) {
    case Role::isend:
      request.kind = Request::Kind::send;
      request.send_number = pending.send_number;
      request.open_send = std::exchange(pending.open_send, OpenSends::kNone);
      request.epoch = at_.caller(call).epoch;
      break;
    case Role::psend_init:
    case Role::send_init:
      request.kind = Request::Kind::send;
      request.bytes = bytes_of(p2p);
      break;
    default:  // receives, also Isendrecv, whose sending half is complete
      request.kind = Request::Kind::receive;
      request.bytes = bytes_of(what.role == Role::isendrecv ? call.p2p[1] : p2p);
      request.receive = pending.receive;
      request.is_size_unreliable = what.role == Role::isendrecv;
  }
  const bool is_partitioned = what.role == Role::psend_init || what.role == Role::precv_init;
  if (is_partitioned || what.role == Role::send_init || what.role == Role::recv_init) {
    request.is_persistent = true;
    request.is_partitioned = is_partitioned;
    request.is_active = false;
    request.receive = kNoReceive;
  }
  pending.receive = kNoReceive;
  requests_.add(call, p2p.request, request);
}

}  // namespace meridian
