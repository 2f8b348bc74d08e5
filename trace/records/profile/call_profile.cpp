// SPDX-License-Identifier: Apache-2.0
#include "trace/records/profile/call_profile.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "trace/model/call_facts.hpp"
#include "trace/model/collective_bytes.hpp"
#include "trace/model/log_ranges.hpp"
#include "trace/model/message_bytes.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kMostPolls = std::uint64_t{1} << 48;  // more mean damage

/// Whether the call had no effect. A failed call may have received a message that was too long.
bool did_nothing(const BatchEvent& event) noexcept { return event.has(kFlagFailed) && event.completions.empty(); }

/// Whether the call makes a window or opens a file under a handle that others may have had before.
bool makes_object(const BatchEvent& event) noexcept {
  const Role role = facts_of(event.call).role;
  return event.handle != nullptr && !event.has(kFlagFailed) && (role == Role::make_window || role == Role::open_file);
}

bool stays_event(const BatchEvent& event) noexcept {
  return event.has(kFlagUnfinished) || starts_or_ends_mpi(facts_of(event.call).role);
}

/// Whether the completion is a received message.
bool is_received(const ProfileRequest* request, const Completion& completion) noexcept {
  return request != nullptr && request->kind == ProfileRequest::Kind::receive && has_message(completion) &&
         completion.bytes != kCancelled;
}

bool is_partitioned(const ProfileRequest& request) noexcept {
  const Role role = facts_of(static_cast<CallId>(request.call)).role;
  return role == Role::psend_init || role == Role::precv_init;
}

/// Identifies the call that made a communicator.
std::uint64_t maker_key(std::uint32_t thread, std::uint64_t enter_ticks) noexcept {
  return enter_ticks ^ std::uint64_t{thread} << 48;
}

}  // namespace

const EventBatch& CallProfile::take(ThreadId thread, const EventBatch& batch) {
  kept_ = {};
  for_each_event(batch, [&](const BatchEvent& event, const SegmentRow& rows) {
    if (stays_event(event))
      append_event(batch, event, rows, kept_);
    else
      add(thread.value, event);
  });
  return kept_;
}

void CallProfile::take_births() {
  for (; known_births_ < meta_.comms.size(); ++known_births_) {
    const CommRow& row = meta_.comms[known_births_];
    births_[row.birth.comm].push_back({row.leave_ticks, static_cast<std::uint32_t>(known_births_)});
    made_by_[maker_key(row.thread, row.enter_ticks)] = static_cast<std::uint32_t>(known_births_);
  }
}

// MPI uses handles again: a handle means the communicator that was made last before `ticks`.
std::uint32_t CallProfile::comm_at(std::uint64_t handle, std::uint64_t ticks) {
  take_births();
  const auto births = births_.find(handle);
  if (births == births_.end()) return kNoBirth;
  for (auto birth = births->second.rbegin(); birth != births->second.rend(); ++birth)
    if (birth->ticks <= ticks) return birth->row;
  return births->second.front().row;
}

std::uint32_t CallProfile::comm_of(std::uint32_t thread, const BatchEvent& event) {
  const auto named = [&](std::uint64_t handle) { return comm_at(handle, event.enter_ticks); };
  if (event.coll != nullptr) return named(event.coll->comm);
  if (event.polls != nullptr) return event.polls->comm != 0 ? named(event.polls->comm) : kNoBirth;
  switch (facts_of(event.call).role) {
    case Role::complete:
    case Role::start:
      return comm_of_requests(thread, event);
    case Role::mrecv:
    case Role::imrecv: {
      const ProfileRequest* const message = event.p2p.empty() ? nullptr : found_.find(thread, event.p2p[0].comm);
      return message != nullptr ? message->comm : kNoBirth;
    }
    case Role::use_comm:
    case Role::free_comm:
      if (event.handle != nullptr) return named(event.handle->handle);
      break;
    default:
      break;
  }
  if (event.payload == Payload::comm) {
    take_births();
    const auto made = made_by_.find(maker_key(thread, event.enter_ticks));
    return made != made_by_.end() ? named(meta_.comms[made->second].birth.parent) : kNoBirth;
  }
  return event.p2p.empty() ? kNoBirth : named(event.p2p[0].comm);
}

std::uint32_t CallProfile::comm_of_requests(std::uint32_t thread, const BatchEvent& event) const {
  const bool is_start = facts_of(event.call).role == Role::start;
  std::uint32_t comm = kNoBirth;
  bool has_one = false;
  for (const Completion& completion : event.completions) {
    const ProfileRequest* const request = requests_.find(thread, completion.request);
    const bool counts = is_start ? request != nullptr && request->is_persistent != 0 : is_received(request, completion);
    if (!counts) continue;
    if (std::exchange(has_one, true)) return kNoBirth;
    comm = request->comm;
  }
  return comm;
}

void CallProfile::add(std::uint32_t thread, const BatchEvent& event) {
  const std::uint32_t comm = comm_of(thread, event);
  ProfileCallRow& sums = row_of(thread, event, comm);
  std::uint64_t count = 1;
  std::uint64_t ticks = event.leave_ticks - std::min(event.enter_ticks, event.leave_ticks);
  if (event.polls != nullptr) {
    count = std::clamp<std::uint64_t>(event.polls->calls, 1, kMostPolls);
    ticks = std::min(event.polls->inside_ticks, ticks);
  }
  const std::uint64_t mean = ticks / count;
  calls_ += count;
  sums.calls += count;
  sums.ticks += ticks;
  sums.least_ticks = std::min(sums.least_ticks, mean);
  sums.most_ticks = std::max(sums.most_ticks, mean);
  sums.squares += even_squares(ticks, count);
  sums.accesses += sums.object != 0 && event.handle == nullptr ? count : 0;
  std::vector<std::uint64_t>& times = times_[sums.call];
  if (times.empty()) times.resize(LogRanges::kCount);
  times[LogRanges::of(mean)] += count;
  if (event.polls == nullptr) add_transfer(thread, event, comm, sums);
}

void CallProfile::add_transfer(std::uint32_t thread, const BatchEvent& event, std::uint32_t comm,
                               ProfileCallRow& sums) {
  const CallFacts& facts = facts_of(event.call);
  const bool takes_found = facts.role == Role::mrecv || facts.role == Role::imrecv;
  if (takes_found && !event.p2p.empty() && !did_nothing(event)) found_.remove(thread, event.p2p[0].comm);
  switch (facts.role) {
    case Role::send:
    case Role::isend:
      if (!event.p2p.empty()) add_send(event, event.p2p[0], comm, sums);
      break;
    case Role::receive:
    case Role::mrecv:
      if (!event.p2p.empty()) add_receive(event, event.p2p[0], takes_found ? kNoBirth : comm, sums);
      break;
    case Role::sendrecv:
    case Role::isendrecv:
      if (event.p2p.size() < 2) break;
      add_send(event, event.p2p[0], comm, sums);
      if (facts.role == Role::sendrecv)
        add_receive(event, event.p2p[1], comm, sums);
      else
        add_request(thread, event, comm);
      break;
    case Role::mprobe:
      if (event.completions.empty()) break;
      add_request(thread, event, comm);  // it has found a message
      if (has_message(event.completions[0])) count_received(comm, event.completions[0]);
      break;
    case Role::irecv:
    case Role::imrecv:
    case Role::send_init:
    case Role::recv_init:
    case Role::psend_init:
    case Role::precv_init:
    case Role::collective_init:
      add_request(thread, event, comm);
      break;
    case Role::collective:
    case Role::icollective:
      if (event.coll != nullptr && !did_nothing(event)) add_collective(event.call, *event.coll, comm, sums);
      break;
    case Role::start:
      add_started(thread, event, sums);
      break;
    case Role::complete:
      add_completed(thread, event, sums);
      break;
    case Role::request_free:
      for (const Completion& completion : event.completions) requests_.remove(thread, completion.request);
      break;
    case Role::put:
    case Role::get:
    case Role::exchange: {
      const std::uint64_t bytes = event.rma != nullptr ? event.rma->bytes : event.io != nullptr ? event.io->bytes : 0;
      if (facts.role != Role::get) sums.bytes_sent += bytes;
      if (facts.role != Role::put) sums.bytes_received += bytes;
      break;
    }
    default:
      break;
  }
}

void CallProfile::add_send(const BatchEvent& event, const PointToPoint& sent, std::uint32_t comm,
                           ProfileCallRow& sums) {
  if (did_nothing(event) || sent.peer == kProcNull) return;
  const std::uint64_t bytes = bytes_of(sent);
  sums.bytes_sent += bytes;
  if (sent.peer < 0) return;
  add_message(comm, event.enter_ticks, sent.peer, bytes);
  add_size(event.call, bytes);
  count_send(comm, sent.peer, sent.tag);
}

void CallProfile::add_receive(const BatchEvent& event, const PointToPoint& received, std::uint32_t comm,
                              ProfileCallRow& sums) {
  if (received.peer == kProcNull || event.completions.empty() || !has_message(event.completions[0])) return;
  count_received(comm, event.completions[0]);
  const std::int64_t bytes = received_bytes(event.flags, event.completions[0], bytes_of(received));
  if (bytes > 0) sums.bytes_received += static_cast<std::uint64_t>(bytes);
}

void CallProfile::add_collective(CallId call, const Collective& part, std::uint32_t comm, ProfileCallRow& sums) {
  if (comm >= meta_.comms.size()) return;
  if (is_counting_ && !is_persistent(facts_of(call).role)) channels_.collective(comm);
  const CommBirth& birth = meta_.comms[comm].birth;
  const auto size = static_cast<std::uint64_t>(std::max(is_inter(comm) ? birth.remote_size : birth.local_size, 0));
  const CollectiveBytes bytes = collective_bytes(facts_of(call).bytes, part, size, birth.local_rank, is_inter(comm));
  sums.bytes_sent += bytes.sent;
  sums.bytes_received += bytes.received;
  add_size(call, bytes.sent);
}

void CallProfile::add_request(std::uint32_t thread, const BatchEvent& event, std::uint32_t comm) {
  const Role role = facts_of(event.call).role;
  if (did_nothing(event)) return;
  ProfileRequest request;
  request.is_persistent = is_persistent(role) ? 1 : 0;
  request.is_size_unreliable = role == Role::isendrecv ? 1 : 0;
  request.thread = thread;
  request.call = static_cast<std::uint16_t>(event.call);
  request.comm = comm;
  request.seen_ticks = event.enter_ticks;
  if (role == Role::collective_init) {
    if (event.coll == nullptr) return;
    request.kind = ProfileRequest::Kind::collective;
    request.handle = event.coll->request;
    request.part = *event.coll;
    if (is_counting_ && !event.has(kFlagFailed) && comm < meta_.comms.size())
      request.series = channels_.initialise(comm);
  } else {
    if (event.p2p.empty()) return;
    const PointToPoint& side = event.p2p.back();
    if (role == Role::send_init || role == Role::psend_init) request.kind = ProfileRequest::Kind::send;
    if (role == Role::mprobe) request.kind = ProfileRequest::Kind::message;
    request.handle = event.p2p.front().request;
    request.peer = side.peer;
    request.tag = side.tag;
    request.bytes = bytes_of(side);
    if ((role == Role::irecv || role == Role::isendrecv) && !event.has(kFlagFailed)) count_post(request);
  }
  (role == Role::mprobe ? found_ : requests_).add(request);
}

void CallProfile::add_started(std::uint32_t thread, const BatchEvent& event, ProfileCallRow& sums) {
  if (event.has(kFlagFailed)) return;
  for (const Completion& completion : event.completions) {
    ProfileRequest* const request = requests_.find(thread, completion.request);
    if (request == nullptr || request->is_persistent == 0) continue;
    ++request->started;
    if (request->kind == ProfileRequest::Kind::receive) count_post(*request);
    if (request->kind == ProfileRequest::Kind::collective) {
      add_collective(static_cast<CallId>(request->call), request->part, request->comm, sums);
    } else if (request->kind == ProfileRequest::Kind::send && request->peer != kProcNull) {
      sums.bytes_sent += request->bytes;
      add_message(request->comm, request->seen_ticks, request->peer, request->bytes);
      add_size(event.call, request->bytes);
      count_send(request->comm, request->peer, request->tag, is_partitioned(*request));
    }
  }
}

void CallProfile::count_post(const ProfileRequest& request) {
  if (!is_counting_ || request.is_wildcard() || request.peer == kProcNull || request.comm >= meta_.comms.size()) return;
  channels_.receive(request.comm, request.peer, request.tag, is_partitioned(request));
}

void CallProfile::count_completed(const ProfileRequest& request, const Completion& completion) {
  if (!is_counting_ || request.kind != ProfileRequest::Kind::receive || request.comm >= meta_.comms.size()) return;
  if (completion.bytes == kCancelled) {
    if (!request.is_wildcard() && request.peer != kProcNull)
      channels_.cancel_receive(request.comm, request.peer, request.tag);
  } else if (request.is_wildcard() && has_message(completion)) {
    count_received(request.comm, completion);
  }
}

void CallProfile::add_completed(std::uint32_t thread, const BatchEvent& event, ProfileCallRow& sums) {
  for (const Completion& completion : event.completions) {
    const ProfileRequest* const request = requests_.find(thread, completion.request);
    if (request == nullptr) continue;
    count_completed(*request, completion);
    if (is_received(request, completion)) {
      const std::int64_t bytes = request->is_size_unreliable != 0
                                     ? static_cast<std::int64_t>(request->bytes)
                                     : received_bytes(event.flags, completion, request->bytes);
      if (bytes > 0) sums.bytes_received += static_cast<std::uint64_t>(bytes);
    }
    if (request->is_persistent == 0) requests_.remove(thread, completion.request);
  }
}

void CallProfile::add_message(std::uint32_t comm, std::uint64_t seen_ticks, std::int32_t peer, std::uint64_t bytes) {
  if (comm >= meta_.comms.size()) return;
  std::uint32_t number = by_peer_.find({comm, peer});
  if (number == IndexMap<PeerKey>::kNone) {
    if (peers_.size() >= kMostRows) {  // in one row for all of them, without a receiver
      comm = kNoBirth;
      peer = kAnySource;
      number = by_peer_.find({comm, peer});
    }
    if (number == IndexMap<PeerKey>::kNone) {
      number = static_cast<std::uint32_t>(peers_.size());
      peers_.push_back(
          {.comm = comm == kNoBirth ? 0 : meta_.comms[comm].birth.comm, .seen_ticks = seen_ticks, .peer = peer});
      peer_comms_.push_back(comm);
      by_peer_.set({comm, peer}, number);
    }
  }
  ++peers_[number].messages;
  peers_[number].bytes += bytes;
}

void CallProfile::add_size(CallId call, std::uint64_t bytes) {
  SizeSums& sums = sizes_[static_cast<std::uint32_t>(call)][static_cast<std::size_t>(std::bit_width(bytes))];
  ++sums.count;
  sums.bytes += bytes;
}

std::uint64_t CallProfile::object_of(const BatchEvent& event) const {
  if (event.rma != nullptr) return event.rma->window;
  if (event.io != nullptr) return event.io->file;
  if (event.handle == nullptr) return 0;
  const CallGroup group = info(event.call).group;
  const bool is_about_object = group == CallGroup::io || group == CallGroup::rma;
  return is_about_object || made_.contains(event.handle->handle) ? event.handle->handle : 0;
}

ProfileCallRow& CallProfile::row_of(std::uint32_t thread, const BatchEvent& event, std::uint32_t comm) {
  CallKey key;
  key.site = event.site;
  key.thread = thread;
  key.node = event.node;
  key.comm = comm;
  key.call = static_cast<std::uint32_t>(event.call);
  key.object = object_of(event);
  if (makes_object(event)) ++made_[key.object];
  if (key.object != 0)
    if (const auto made = made_.find(key.object); made != made_.end()) key.made = made->second;
  std::uint32_t number = by_key_.find(key);
  if (number == IndexMap<CallKey>::kNone && rows_.size() >= kMostRows) {
    key = {};
    key.thread = thread;
    key.call = static_cast<std::uint32_t>(event.call);
    number = by_key_.find(key);
  }
  if (number != IndexMap<CallKey>::kNone) [[likely]]
    return rows_[number];
  by_key_.set(key, static_cast<std::uint32_t>(rows_.size()));
  row_comms_.push_back(key.comm);
  row_made_.push_back(key.made);
  ProfileCallRow& row = rows_.emplace_back();
  row.call = key.call;
  row.thread = thread;
  row.node = key.node;
  row.site = key.site;
  row.comm = key.comm == kNoBirth ? 0 : meta_.comms[key.comm].birth.comm;
  row.object = key.object;
  row.seen_ticks = makes_object(event) ? event.leave_ticks : event.enter_ticks;  // from then on it is there
  return row;
}

}  // namespace meridian
