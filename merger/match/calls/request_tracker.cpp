// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/request_tracker.hpp"

#include <utility>

#include "trace/model/collective_bytes.hpp"
#include "trace/model/message_bytes.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNoRequest = RequestTable::kNone;

}  // namespace

/// The request of a call. If calls were lost since the request was made, its handle may belong to another request.
std::uint32_t RequestTracker::find(const Call& call, std::uint64_t handle) {
  const std::uint32_t number = requests_.find(handle);
  if (number == kNoRequest || !sides_.has_lost_calls()) return number;
  const std::size_t now = at_.stretch(call);
  if (requests_[number].stretch == now && now % 2 == 0) return number;
  if (requests_[number].is_active) give_up(requests_[number], now);
  requests_.remove(number);
  return kNoRequest;
}

void RequestTracker::add(const Call& call, std::uint64_t handle, Request request) {
  if (handle == 0) return;
  request.stretch = at_.stretch(call);
  const std::uint32_t owner = requests_.find(handle);
  if (owner != kNoRequest && !requests_[owner].is_completing) {
    if (requests_[owner].is_active && requests_[owner].kind != Request::Kind::receive) shared_.set({handle}, 1);
    if (requests_[owner].is_active) give_up(requests_[owner], request.stretch);
    requests_.remove(owner);
  }
  requests_.add(handle, request);
}

void RequestTracker::enter_complete(const Call& call, EventRow& row, Pending& pending) {
  pending.requests.clear();
  if (call.has(kFlagUnfinished)) return;  // it is unknown which of them would complete
  std::uint64_t receives = 0;
  for (std::uint32_t i = 0; i < call.completion_count; ++i) {
    const Completion& completion = call.completions[i];
    std::uint32_t number = find(call, completion.request);
    if (number == kNoRequest) {
      if (at_.matchers != nullptr && has_message(completion) && completion.bytes > 0 &&
          shared_.find({completion.request}) == kNoRequest)
        at_.findings->add(FindingId::request_unknown);
    } else if (!requests_[number].is_active || requests_[number].is_completing) {
      number = kNoRequest;
    } else {
      Request& request = requests_[number];
      request.is_completing = true;
      if (request.kind == Request::Kind::receive && describe_received(call, request, completion, row) &&
          ++receives == 1)
        describe(row, request.comm, completion.source, completion.tag);
    }
    pending.requests.push_back(number);
  }
  if (receives > 1) describe_nobody(row);
}

void RequestTracker::leave_complete(const Call& call, Pending& pending) {
  for (std::size_t i = 0; i < pending.requests.size(); ++i) {
    const std::uint32_t number = pending.requests[i];
    if (number == kNoRequest) continue;
    Request& request = requests_[number];
    finish(call, request, call.completions[i]);
    request.is_completing = false;
    request.is_active = false;
    if (!request.is_persistent) requests_.remove(number);
  }
}

void RequestTracker::enter_start(const Call& call, EventRow& row) {
  if (call.has(kFlagFailed)) return;
  std::uint64_t started = 0;
  for (std::uint32_t i = 0; i < call.completion_count; ++i) {
    const std::uint32_t number = find(call, call.completions[i].request);
    if (number == kNoRequest || !requests_[number].is_persistent) continue;
    Request& request = requests_[number];
    if (request.is_active) give_up(request, at_.stretch(call));  // its completion was not recorded
    request.is_active = true;
    request.is_cancel_requested = false;
    request.is_seen = false;
    if (request.comm == nullptr) continue;
    if (++started == 1)
      describe(row, request.comm, request.kind == Request::Kind::collective ? kNoPeer : request.peer, request.tag);
    const bool is_p2p = request.kind == Request::Kind::send || request.kind == Request::Kind::receive;
    if (request.kind == Request::Kind::receive && request.peer == kAnySource) row.is_any_source = true;
    if (is_p2p && request.peer == kProcNull) continue;
    if (request.kind == Request::Kind::send) row.bytes_sent += request.bytes;
    if (request.kind == Request::Kind::collective) {
      const PersistentCollective& repeated = requests_.collective(request);
      const CollectiveBytes bytes =
          collective_bytes(repeated.what->bytes, repeated.arguments, request.comm->peers->size(), request.comm->rank,
                           request.comm->is_inter);
      row.bytes_sent += bytes.sent;
      row.bytes_received += bytes.received;
    }
    if (at_.matchers != nullptr) start(call, request);
  }
  if (started > 1) describe_nobody(row);
}

/// Starts a persistent request again.
void RequestTracker::start(const Call& call, Request& request) {
  switch (request.kind) {
    case Request::Kind::send:
      request.epoch = at_.caller(call).epoch;
      request.send_number = ~std::uint64_t{0};
      request.open_send = OpenSends::kNone;
      if (sides_.is_left_out(call, *request.comm, true, static_cast<std::int64_t>(request.bytes))) break;
      request.open_send = at_.matchers->messages.open_sends().add();
      request.send_number = at_.matchers->messages.send(at_.caller(call), *request.comm, request.peer, request.tag,
                                                        request.bytes, request.is_partitioned, request.open_send);
      break;
    case Request::Kind::receive:
      request.receive =
          sides_.post(call, *request.comm, request.peer, request.tag, request.bytes, request.is_partitioned);
      break;
    case Request::Kind::collective: {
      if (sides_.is_unsure(call, *request.comm)) break;
      const PersistentCollective& repeated = requests_.collective(request);
      request.part = at_.matchers->collectives.enter(at_.caller(call), *request.comm, *repeated.what,
                                                     repeated.arguments, repeated.series);
      break;
    }
    case Request::Kind::other:
      break;
  }
}

void RequestTracker::enter_cancel(const Call& call) {
  if (call.completion_count == 0 || call.has(kFlagFailed)) return;
  const std::uint32_t number = find(call, call.completions[0].request);
  if (number == kNoRequest) return;
  Request& request = requests_[number];
  if (!request.is_active || std::exchange(request.is_cancel_requested, true) || at_.matchers == nullptr) return;
  if (request.kind == Request::Kind::receive && request.receive != kNoReceive)
    at_.matchers->messages.ask_to_cancel(request.receive);
  if (request.kind == Request::Kind::send && request.comm != nullptr && request.peer >= 0)
    at_.matchers->messages.ask_to_cancel_send(
        MessageMatcher::send_key(*request.comm, request.peer, request.tag, request.is_partitioned, request.epoch),
        request.send_number);
}

/// A request that is known to be complete need not be waited for before it is freed.
void RequestTracker::look_at(const Call& call) {
  if (call.completion_count == 0 || call.has(kFlagFailed) || call.has(kFlagUnfinished)) return;
  const std::uint32_t number = find(call, call.completions[0].request);
  if (number == kNoRequest || !requests_[number].is_active) return;
  requests_[number].is_seen = true;
  requests_[number].seen = call.completions[0];
}

void RequestTracker::enter_free(const Call& call, EventRow& row) {
  if (call.completion_count == 0 || call.has(kFlagFailed) || call.has(kFlagUnfinished)) return;
  const std::uint32_t number = find(call, call.completions[0].request);
  if (number == kNoRequest) return;
  Request& request = requests_[number];
  if (request.is_active && request.is_seen) {
    if (request.kind == Request::Kind::receive && describe_received(call, request, request.seen, row))
      describe(row, request.comm, request.seen.source, request.seen.tag);
    finish(call, request, request.seen);
  } else if (request.is_active) {
    give_up(request, at_.stretch(call), true);
  }
  requests_.remove(number);
}

/// True if the completion is a message, whose bytes are then added to the row.
bool RequestTracker::describe_received(const Call& call, const Request& request, const Completion& completion,
                                       EventRow& row) const {
  if (!has_message(completion) || completion.bytes == kCancelled) return false;
  const std::int64_t bytes = request.is_size_unreliable ? static_cast<std::int64_t>(request.bytes)
                                                        : received_bytes(call.flags, completion, request.bytes);
  row.bytes_received += bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
  return true;
}

void RequestTracker::finish(const Call& call, Request& request, const Completion& completion) {
  if (at_.matchers == nullptr) return;
  const bool is_cancelled = completion.bytes == kCancelled;
  switch (request.kind) {
    case Request::Kind::send: {
      OpenSends& sends = at_.matchers->messages.open_sends();
      const Caller caller = at_.caller(call);
      const std::uint32_t open = std::exchange(request.open_send, OpenSends::kNone);
      if (is_cancelled)
        sends.abandoned(open);
      else
        sends.completed(open, caller.call, caller.enter_ns, caller.leave_ns);
      end_cancel(request, is_cancelled);
      break;
    }
    case Request::Kind::receive: {
      const ReceiveId receive = std::exchange(request.receive, kNoReceive);
      if (receive == kNoReceive) break;
      if (is_cancelled)
        at_.matchers->messages.cancelled(receive);
      else if (has_message(completion))
        sides_.complete(receive, call, completion.source, completion.tag,
                        request.is_size_unreliable ? -1 : received_bytes(call.flags, completion, request.bytes));
      else
        at_.matchers->messages.abandon(receive);
      break;
    }
    case Request::Kind::collective:
      at_.matchers->collectives.leave(std::exchange(request.part, {}), at_.caller(call));
      break;
    case Request::Kind::other:
      break;
  }
}

/// Does nothing for a send without a cancel.
void RequestTracker::end_cancel(const Request& request, bool is_cancelled) {
  if (!request.is_cancel_requested || request.comm == nullptr || request.peer < 0) return;
  at_.matchers->messages.end_cancel_send(
      MessageMatcher::send_key(*request.comm, request.peer, request.tag, request.is_partitioned, request.epoch),
      request.send_number, is_cancelled);
}

/// The completion of the request is not in the trace. If calls were lost since it was made, it may have completed.
/// is_freed  the program has given it up: the outcome of a cancel will never be known.
void RequestTracker::give_up(Request& request, std::size_t stretch, bool is_freed) {
  if (at_.matchers == nullptr) return;
  if (request.kind == Request::Kind::receive && request.receive != kNoReceive) {
    if (request.stretch != stretch) at_.matchers->messages.silence_behind(request.receive);
    at_.matchers->messages.abandon(std::exchange(request.receive, kNoReceive));
  }
  if (request.kind == Request::Kind::collective) at_.matchers->collectives.abandon(std::exchange(request.part, {}));
  if (request.kind != Request::Kind::send) return;
  at_.matchers->messages.open_sends().abandoned(std::exchange(request.open_send, OpenSends::kNone));
  if (is_freed && request.is_cancel_requested && request.comm != nullptr && request.peer >= 0)
    at_.matchers->messages.leave_cancel_open(
        MessageMatcher::send_key(*request.comm, request.peer, request.tag, request.is_partitioned, request.epoch),
        request.send_number);
  else
    end_cancel(request, false);
}

void RequestTracker::end() {
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
