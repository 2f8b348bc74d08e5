#include "merger/match/call_tracker.hpp"

#include <string>
#include <utility>

#include "merger/match/message_bytes.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNoRequest = RequestTable::kNone;

/// Whether the completion tells of a message.
bool has_message(const Completion& completion) noexcept { return completion.source >= 0 && completion.tag >= 0; }

/// A call that failed may have received all the same: a message that was too long.
bool did_nothing(const Call& call) noexcept { return call.has(kFlagFailed) && call.completion_count == 0; }

}  // namespace

Caller CallTracker::caller(const Call& call) const noexcept {
  return {at_.rank_index,
          {call.thread, call.enter_ticks, call.leave_ticks},
          {at_.rank, call.thread, call.event},
          at_.clock.to_global(call.enter_ticks),
          at_.clock.to_global(call.leave_ticks),
          at_.gaps != nullptr ? at_.gaps->epoch(call.enter_ticks) : 0};
}

const LocalComm* CallTracker::resolve(std::uint64_t handle, const Call& call) {
  const LocalComm* comm = at_.resolver->at(handle, call.enter_ticks);
  if (comm == nullptr && at_.matchers != nullptr)
    at_.findings->add(FindingId::comm_unknown, 1, [&] {
      return "rank " + std::to_string(at_.rank) + " thread " + std::to_string(call.thread) + " call " +
             std::to_string(call.event);
    });
  return comm;
}

void CallTracker::describe(EventRow& row, const LocalComm* comm, std::int32_t peer, std::int32_t tag) const noexcept {
  row.tag = tag >= 0 ? tag : kNoTag;
  if (comm == nullptr) return;
  row.comm = comm->comm;
  const std::int32_t world = peer >= 0 ? comm->world_rank(peer) : kNoPeer;
  row.peer = world >= 0 ? world : kNoPeer;
}

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
  if (call.payload == Payload::lock && at_.locks != nullptr) at_.locks->add(call, row.duration_ns);
  const CallRole& what = role_of(call.call);
  Pending& pending = pending_[thread_index];
  const bool is_p2p = call.payload == Payload::p2p;
  switch (what.role) {
    case Role::plain:
      enter_other(call, what, row);
      break;
    case Role::send:
    case Role::isend:
      if (is_p2p) enter_send(call, *call.p2p, row, pending);
      break;
    case Role::receive:
      if (is_p2p) enter_blocking_receive(call, *call.p2p, row, pending);
      break;
    case Role::irecv:
      if (is_p2p) enter_receive(call, *call.p2p, row, pending);
      break;
    case Role::sendrecv:
    case Role::isendrecv:
      if (call.payload == Payload::sendrecv) enter_sendrecv(call, row, pending);
      break;
    case Role::send_init:
    case Role::recv_init:
    case Role::psend_init:
    case Role::precv_init:
      if (is_p2p) {
        pending.comm = resolve(call.p2p->comm, call);
        describe(row, pending.comm, call.p2p->peer, call.p2p->tag);
      }
      break;
    case Role::probe:
    case Role::mprobe:
      if (is_p2p) enter_probe(call, row, pending, what.role == Role::mprobe);
      break;
    case Role::mrecv:
    case Role::imrecv:
      if (is_p2p) enter_matched_receive(call, row, pending);
      break;
    case Role::complete:
      enter_complete(call, row, pending);
      break;
    case Role::start:
      enter_start(call, row);
      break;
    case Role::cancel:
      enter_cancel(call);
      break;
    case Role::request_free:
      enter_free(call);
      break;
    case Role::collective:
    case Role::icollective:
    case Role::collective_init:
      if (call.payload == Payload::coll) enter_collective(call, what, row, pending);
      break;
    case Role::put:
    case Role::get:
    case Role::exchange:
    case Role::use_comm:
    case Role::make_window:
    case Role::open_file:
      enter_other(call, what, row);
      break;
  }
  return row;
}

void CallTracker::enter_send(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending) {
  const LocalComm* comm = pending.comm = resolve(p2p.comm, call);
  describe(row, comm, p2p.peer, p2p.tag);
  if (did_nothing(call) || p2p.peer == kProcNull) return;
  row.bytes_sent = bytes_of(p2p);
  if (comm == nullptr || at_.matchers == nullptr || p2p.peer < 0) return;
  const std::uint64_t bytes = call.has(kFlagUnfinished) ? kUnknownBytes : row.bytes_sent;
  if (is_left_out(call, *comm, true, bytes == kUnknownBytes ? -1 : static_cast<std::int64_t>(bytes))) {
    pending.send_number = ~std::uint64_t{0};
    return;
  }
  pending.send_number = at_.matchers->messages.send(caller(call), *comm, p2p.peer, p2p.tag, bytes);
}

/// A receive that will complete by a request.
void CallTracker::enter_receive(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending) {
  pending.receive = kNoReceive;
  const LocalComm* comm = pending.comm = resolve(p2p.comm, call);
  describe(row, comm, p2p.peer, p2p.tag);
  if (call.has(kFlagFailed) || call.has(kFlagUnfinished) || p2p.peer == kProcNull) return;
  if (comm != nullptr && at_.matchers != nullptr) pending.receive = post(call, *comm, p2p.peer, p2p.tag, bytes_of(p2p));
}

/// What a blocking receive has found is in its record, so that its place is known where it begins.
void CallTracker::enter_blocking_receive(const Call& call, const PointToPoint& p2p, EventRow& row, Pending& pending) {
  pending.receive = kNoReceive;
  const LocalComm* comm = resolve(p2p.comm, call);
  describe(row, comm, p2p.peer, p2p.tag);
  if (p2p.peer == kProcNull) return;
  if (call.completion_count != 0 && !call.has(kFlagUnfinished)) {
    const Completion& found = call.completions[0];
    if (!has_message(found)) return;
    describe(row, comm, found.source, found.tag);
    const std::int64_t bytes = received_bytes(call, found, bytes_of(p2p));
    row.bytes_received = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
    if (comm != nullptr && at_.matchers != nullptr && !is_left_out(call, *comm, false, bytes))
      pending.receive = at_.matchers->messages.post(caller(call), *comm, found.source, found.tag);
  } else if (call.has(kFlagUnfinished) && comm != nullptr && at_.matchers != nullptr && !is_unsure(call, *comm)) {
    if (p2p.peer == kAnySource || p2p.tag == kAnyTag)
      at_.matchers->messages.count_hopeless_receive(caller(call), p2p.peer, p2p.tag);
    else
      (void)at_.matchers->messages.post(caller(call), *comm, p2p.peer, p2p.tag);
  }
}

void CallTracker::enter_sendrecv(const Call& call, EventRow& row, Pending& pending) {
  EventRow received = row;
  if (role_of(call.call).role == Role::sendrecv)
    enter_blocking_receive(call, call.p2p[1], received, pending);
  else
    enter_receive(call, call.p2p[1], received, pending);
  const ReceiveId receive = pending.receive;
  enter_send(call, call.p2p[0], row, pending);
  pending.receive = receive;
  row.bytes_received = received.bytes_received;
}

void CallTracker::enter_probe(const Call& call, EventRow& row, Pending& pending, bool takes_message) {
  pending.receive = kNoReceive;
  const LocalComm* comm = pending.comm = resolve(call.p2p->comm, call);
  describe(row, comm, call.p2p->peer, call.p2p->tag);
  if (call.completion_count == 0 || call.has(kFlagUnfinished) || !has_message(call.completions[0])) return;
  const Completion& found = call.completions[0];
  describe(row, comm, found.source, found.tag);
  if (takes_message && comm != nullptr && at_.matchers != nullptr && !is_left_out(call, *comm, false, found.bytes))
    pending.receive = at_.matchers->messages.post(caller(call), *comm, found.source, found.tag);
}

/// Mrecv, Imrecv: the message handle stands in place of the communicator.
void CallTracker::enter_matched_receive(const Call& call, EventRow& row, Pending& pending) {
  pending.receive = kNoReceive;
  pending.comm = nullptr;
  const HandleKey handle{call.p2p->comm};
  const std::uint32_t number = messages_.find(handle);
  if (number == kNoRequest || did_nothing(call)) return;
  const Message message = message_list_[number];
  messages_.erase(handle);
  free_messages_.push_back(number);
  if (message.stretch != stretch(call)) return;  // calls were lost since: it may be another one
  pending.comm = message.comm;
  pending.receive = message.receive;
  if (message.receive != kNoReceive && at_.matchers != nullptr)
    at_.matchers->messages.set_receiver(message.receive, caller(call));
  const bool is_found = call.completion_count != 0 && !call.has(kFlagUnfinished) && has_message(call.completions[0]);
  describe(row, message.comm, is_found ? call.completions[0].source : kNoPeer,
           is_found ? call.completions[0].tag : kNoTag);
  if (!is_found) return;
  const std::int64_t bytes = received_bytes(call, call.completions[0], bytes_of(*call.p2p));
  if (bytes > 0) row.bytes_received = static_cast<std::uint64_t>(bytes);
}

void CallTracker::enter_complete(const Call& call, EventRow& row, Pending& pending) {
  pending.requests.clear();
  if (call.has(kFlagUnfinished)) return;  // which of them would complete is not known
  std::uint64_t receives = 0;
  for (std::uint32_t i = 0; i < call.completion_count; ++i) {
    const Completion& completion = call.completions[i];
    std::uint32_t number = find_request(call, completion.request);
    if (number == kNoRequest) {
      if (at_.matchers != nullptr && has_message(completion) && completion.bytes > 0 &&
          shared_.find({completion.request}) == kNoRequest)
        at_.findings->add(FindingId::request_unknown);
    } else if (!requests_[number].is_active || requests_[number].is_completing) {
      number = kNoRequest;
    } else {
      Request& request = requests_[number];
      request.is_completing = true;
      if (request.kind == Request::Kind::receive && has_message(completion) && completion.bytes != kCancelled) {
        const std::int64_t bytes = request.is_size_untold ? static_cast<std::int64_t>(request.bytes)
                                                          : received_bytes(call, completion, request.bytes);
        row.bytes_received += bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
        if (++receives == 1) describe(row, request.comm, completion.source, completion.tag);
      }
    }
    pending.requests.push_back(number);
  }
  if (receives > 1) {
    row.comm = kNoComm;
    row.peer = kNoPeer;
    row.tag = kNoTag;
  }
}

void CallTracker::enter_start(const Call& call, EventRow& row) {
  if (call.has(kFlagFailed)) return;
  std::uint64_t started = 0;
  for (std::uint32_t i = 0; i < call.completion_count; ++i) {
    const std::uint32_t number = find_request(call, call.completions[i].request);
    if (number == kNoRequest || !requests_[number].is_persistent) continue;
    Request& request = requests_[number];
    if (request.is_active) give_up(request, stretch(call));  // its completion was not seen
    request.is_active = true;
    request.is_cancel_asked = false;
    if (request.comm == nullptr) continue;
    if (++started == 1)
      describe(row, request.comm, request.kind == Request::Kind::collective ? kNoPeer : request.peer, request.tag);
    const bool is_p2p = request.kind == Request::Kind::send || request.kind == Request::Kind::receive;
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
    if (at_.matchers == nullptr) continue;
    switch (request.kind) {
      case Request::Kind::send:
        request.epoch = caller(call).epoch;
        request.send_number = is_left_out(call, *request.comm, true, static_cast<std::int64_t>(request.bytes))
                                  ? ~std::uint64_t{0}
                                  : at_.matchers->messages.send(caller(call), *request.comm, request.peer, request.tag,
                                                                request.bytes, request.is_partitioned);
        break;
      case Request::Kind::receive:
        request.receive = post(call, *request.comm, request.peer, request.tag, request.bytes, request.is_partitioned);
        break;
      case Request::Kind::collective:
        if (is_unsure(call, *request.comm)) break;
        request.part = at_.matchers->collectives.enter(caller(call), *request.comm, *requests_.collective(request).what,
                                                       requests_.collective(request).arguments,
                                                       requests_.collective(request).series);
        break;
      case Request::Kind::other:
        break;
    }
  }
  if (started > 1) {
    row.comm = kNoComm;
    row.peer = kNoPeer;
    row.tag = kNoTag;
  }
}

void CallTracker::enter_cancel(const Call& call) {
  if (call.completion_count == 0 || call.has(kFlagFailed)) return;
  const std::uint32_t number = find_request(call, call.completions[0].request);
  if (number == kNoRequest) return;
  Request& request = requests_[number];
  if (!request.is_active || std::exchange(request.is_cancel_asked, true) || at_.matchers == nullptr) return;
  if (request.kind == Request::Kind::receive && request.receive != kNoReceive)
    at_.matchers->messages.ask_to_cancel(request.receive);
  if (request.kind == Request::Kind::send && request.comm != nullptr && request.peer >= 0)
    at_.matchers->messages.ask_to_cancel_send(
        MessageMatcher::send_key(*request.comm, request.peer, request.tag, request.is_partitioned, request.epoch),
        request.send_number);
}

void CallTracker::enter_free(const Call& call) {
  if (call.completion_count == 0 || call.has(kFlagFailed) || call.has(kFlagUnfinished)) return;
  const std::uint32_t number = find_request(call, call.completions[0].request);
  if (number == kNoRequest) return;
  if (requests_[number].is_active) give_up(requests_[number], stretch(call));
  requests_.remove(number);
}

void CallTracker::enter_collective(const Call& call, const CallRole& what, EventRow& row, Pending& pending) {
  pending.part = {};
  pending.series = 0;
  const LocalComm* comm = pending.comm = resolve(call.coll->comm, call);
  if (comm == nullptr) return;
  row.comm = comm->comm;
  describe(row, comm, call.coll->root, kNoTag);
  if (what.role == Role::collective_init) {
    if (at_.matchers != nullptr && !call.has(kFlagFailed) && !is_unsure(call, *comm))
      pending.series = at_.matchers->collectives.new_series(at_.rank_index, *comm);
    return;
  }
  const CollectiveBytes bytes =
      collective_bytes(what.bytes, *call.coll, comm->peers->size(), comm->rank, comm->is_inter);
  row.bytes_sent = bytes.sent;
  row.bytes_received = bytes.received;
  if (at_.matchers != nullptr && !is_unsure(call, *comm))
    pending.part = at_.matchers->collectives.enter(caller(call), *comm, what, *call.coll);
}

void CallTracker::enter_other(const Call& call, const CallRole& what, EventRow& row) {
  switch (call.payload) {
    case Payload::comm:
      if (const CommResolver::Birth* made = at_.resolver->made_by(call.thread, call.enter_ticks))
        row.comm = (*at_.communicators)[made->comm.comm].parent;
      break;
    case Payload::handle:
      if (what.role == Role::use_comm)
        if (const LocalComm* comm = at_.resolver->at(call.handle->handle, call.enter_ticks)) row.comm = comm->comm;
      break;
    case Payload::user:
      enter_user(call, row);
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
  if (at_.matchers != nullptr && call.payload != Payload::local)
    at_.matchers->objects.add(at_.rank_index, call, what, row);
}

}  // namespace meridian
