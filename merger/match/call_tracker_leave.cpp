// What calls have done when they leave: requests made and completed, messages received, collectives left.

#include <utility>

#include "merger/match/call_tracker.hpp"
#include "merger/match/message_bytes.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNoRequest = RequestTable::kNone;

}  // namespace

void CallTracker::leave(const Call& call, std::uint32_t thread_index) {
  const CallRole& what = role_of(call.call);
  Pending& pending = pending_[thread_index];
  const bool is_p2p = call.payload == Payload::p2p;
  switch (what.role) {
    case Role::receive:
    case Role::mrecv:
      if (is_p2p) leave_receive(call, pending);
      break;
    case Role::sendrecv:
      if (call.payload == Payload::sendrecv) leave_receive(call, pending);
      break;
    case Role::isend:
    case Role::irecv:
    case Role::imrecv:
    case Role::send_init:
    case Role::recv_init:
    case Role::psend_init:
    case Role::precv_init:
      if (is_p2p) make_request(call, what, pending);
      break;
    case Role::isendrecv:
      if (call.payload == Payload::sendrecv) make_request(call, what, pending);
      break;
    case Role::mprobe:
      if (is_p2p && pending.comm != nullptr && call.p2p->request != 0 && call.completion_count != 0) {
        std::uint32_t number;
        if (free_messages_.empty()) {
          number = static_cast<std::uint32_t>(message_list_.size());
          message_list_.emplace_back();
        } else {
          number = free_messages_.back();
          free_messages_.pop_back();
        }
        message_list_[number] = {pending.comm, pending.receive, stretch(call)};
        messages_.set({call.p2p->request}, number);
      }
      break;
    case Role::complete:
      leave_complete(call, pending);
      break;
    case Role::collective:
    case Role::icollective:
    case Role::collective_init:
      if (call.payload == Payload::coll) leave_collective(call, what, pending);
      break;
    case Role::put:
    case Role::get:
    case Role::exchange: {
      const std::uint64_t handle = call.payload == Payload::rma  ? call.rma->request
                                   : call.payload == Payload::io ? call.io->request
                                                                 : 0;
      if (handle != 0) add_request(call, handle, {});
      break;
    }
    default:
      if (call.payload == Payload::comm)
        if (const CommResolver::Birth* made = at_.resolver->made_by(call.thread, call.enter_ticks))
          add_request(call, made->request, {});
      break;
  }
}

void CallTracker::leave_receive(const Call& call, Pending& pending) {
  const ReceiveId receive = std::exchange(pending.receive, kNoReceive);
  if (receive == kNoReceive || at_.matchers == nullptr) return;
  if (call.completion_count == 0 || call.has(kFlagUnfinished)) {
    at_.matchers->messages.abandon(receive);
    return;
  }
  const Completion& found = call.completions[0];
  const PointToPoint& received = call.p2p[call.payload == Payload::sendrecv ? 1 : 0];
  complete(receive, call, found.source, found.tag, received_bytes(call, found, bytes_of(received)));
}

void CallTracker::leave_complete(const Call& call, Pending& pending) {
  for (std::size_t i = 0; i < pending.requests.size(); ++i) {
    const std::uint32_t number = pending.requests[i];
    if (number == kNoRequest) continue;
    Request& request = requests_[number];
    finish_request(call, request, call.completions[i]);
    request.is_completing = false;
    request.is_active = false;
    if (!request.is_persistent) requests_.remove(number);
  }
}

void CallTracker::finish_request(const Call& call, Request& request, const Completion& completion) {
  if (at_.matchers == nullptr) return;
  const bool is_cancelled = completion.bytes == kCancelled;
  switch (request.kind) {
    case Request::Kind::send:
      if (request.is_cancel_asked && request.comm != nullptr && request.peer >= 0)
        at_.matchers->messages.end_cancel_send(
            MessageMatcher::send_key(*request.comm, request.peer, request.tag, request.is_partitioned, request.epoch),
            request.send_number, is_cancelled);
      break;
    case Request::Kind::receive: {
      const ReceiveId receive = std::exchange(request.receive, kNoReceive);
      if (receive == kNoReceive) break;
      if (is_cancelled)
        at_.matchers->messages.cancelled(receive);
      else if (completion.source >= 0 && completion.tag >= 0)
        complete(receive, call, completion.source, completion.tag,
                 request.is_size_untold ? -1 : received_bytes(call, completion, request.bytes));
      else
        at_.matchers->messages.abandon(receive);
      break;
    }
    case Request::Kind::collective:
      at_.matchers->collectives.leave(std::exchange(request.part, {}), caller(call));
      break;
    case Request::Kind::other:
      break;
  }
}

void CallTracker::leave_collective(const Call& call, const CallRole& what, Pending& pending) {
  const PartId part = std::exchange(pending.part, {});
  const bool has_failed = call.has(kFlagFailed) || call.has(kFlagUnfinished);
  const bool is_alone = pending.comm != nullptr && !pending.comm->is_inter && pending.comm->peers->size() == 1;
  if (what.role == Role::collective || has_failed || is_alone) {
    if (part.instance != PartId::kNone) {
      if (call.has(kFlagUnfinished))
        at_.matchers->collectives.abandon(part);
      else
        at_.matchers->collectives.leave(part, caller(call));
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
  add_request(call, call.coll->request, request);
}

void CallTracker::make_request(const Call& call, const CallRole& what, Pending& pending) {
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
      request.epoch = caller(call).epoch;
      break;
    case Role::psend_init:
    case Role::send_init:
      request.kind = Request::Kind::send;
      request.bytes = bytes_of(p2p);
      break;
    default:  // receives, also Isendrecv, whose sending half needs no more
      request.kind = Request::Kind::receive;
      request.bytes = bytes_of(what.role == Role::isendrecv ? call.p2p[1] : p2p);
      request.receive = pending.receive;
      request.is_size_untold = what.role == Role::isendrecv;
  }
  const bool is_partitioned = what.role == Role::psend_init || what.role == Role::precv_init;
  if (is_partitioned || what.role == Role::send_init || what.role == Role::recv_init) {
    request.is_persistent = true;
    request.is_partitioned = is_partitioned;
    request.is_active = false;
    request.receive = kNoReceive;
  }
  pending.receive = kNoReceive;
  add_request(call, p2p.request, request);
}

void CallTracker::add_request(const Call& call, std::uint64_t handle, Request request) {
  if (handle == 0) return;
  request.stretch = stretch(call);
  const std::uint32_t owner = requests_.find(handle);
  if (owner != kNoRequest && !requests_[owner].is_completing) {
    if (requests_[owner].is_active && requests_[owner].kind != Request::Kind::receive) shared_.set({handle}, 1);
    if (requests_[owner].is_active) give_up(requests_[owner], request.stretch);
    requests_.remove(owner);
  }
  requests_.add(handle, request);
}

/// Nobody will see the request complete. Where calls were lost since it was made, that does not mean that it did not.
void CallTracker::give_up(Request& request, std::size_t stretch) {
  if (at_.matchers == nullptr) return;
  if (request.kind == Request::Kind::receive && request.receive != kNoReceive) {
    if (request.stretch != stretch) at_.matchers->messages.silence_behind(request.receive);
    at_.matchers->messages.abandon(std::exchange(request.receive, kNoReceive));
  }
  if (request.kind == Request::Kind::collective) at_.matchers->collectives.abandon(std::exchange(request.part, {}));
  if (request.kind == Request::Kind::send && request.is_cancel_asked && request.comm != nullptr && request.peer >= 0)
    at_.matchers->messages.end_cancel_send(
        MessageMatcher::send_key(*request.comm, request.peer, request.tag, request.is_partitioned, request.epoch),
        request.send_number, false);
}

void CallTracker::end() {
  if (at_.matchers == nullptr) return;
  requests_.for_each([this](Request& request) {
    if (request.is_active && request.kind == Request::Kind::collective && request.part.instance != PartId::kNone)
      at_.matchers->collectives.abandon(std::exchange(request.part, {}));
    const std::size_t last = at_.gaps == nullptr ? 0 : at_.gaps->lost_bounds.size();
    const bool is_lost = request.kind == Request::Kind::receive && request.stretch != last;
    if (request.is_active && (request.kind == Request::Kind::send || is_lost)) give_up(request, last);
  });
}

}  // namespace meridian
