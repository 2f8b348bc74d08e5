// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/location_import.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "import/collective_arguments.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian::imported {
namespace {

constexpr std::size_t kMostRowsOfRank = 1 << 20;   // of small tables, which are in memory
constexpr std::size_t kMostCompletions = 1 << 21;  // of one call
constexpr std::uint32_t kMostRank = std::numeric_limits<std::int32_t>::max();
constexpr Completion kEnded{0, 0, 0, 0};  // what is not a received message

double value_of(OTF2_Type type, OTF2_MetricValue value) {
  if (type == OTF2_TYPE_DOUBLE) return value.floating_point;
  return type == OTF2_TYPE_INT64 ? static_cast<double>(value.signed_int) : static_cast<double>(value.unsigned_int);
}

std::int32_t root_of(std::uint32_t root) {
  if (root == OTF2_COLLECTIVE_ROOT_SELF) return kRootSelf;
  if (root == OTF2_COLLECTIVE_ROOT_THIS_GROUP) return kProcNull;
  return root > kMostRank ? kNoRoot : static_cast<std::int32_t>(root);
}

}  // namespace

LocationImport::LocationImport(const ImportContext& context, RankOutput& output, ThreadId thread, PostScan& scan)
    : context_{context},
      output_{output},
      posts_{scan.posts()},
      sends_{scan.persistent().sends()},
      receives_{scan.persistent().receives()},
      handles_{thread},
      counters_{context.counters} {
  streams_.emplace_back(thread);
}

EventStream& LocationImport::stream(std::size_t depth) {
  while (streams_.size() <= depth) streams_.emplace_back(output_.nested_thread(streams_.back().thread()));
  return streams_[depth];
}

void LocationImport::write_if_full(EventStream& stream) {
  if (!stream.is_full()) return;
  if (Status written = stream.write(output_); !written && status_) status_ = std::move(written);
}

void LocationImport::enter(std::uint64_t ticks, OTF2_RegionRef region, std::uint64_t calls) {
  const RegionUse& use = context_.regions.of(region);
  const std::uint64_t now = context_.clock.ticks(ticks);
  end_wait(now);
  if (use.call == CallId::none) {
    const std::size_t depth = open_.calls();
    EventStream& own = stream(depth);
    EventBatch& batch =
        own.add_user(CallId::UserRegion, now, kFlagBegins, output_.definition(UserKind::region, use.level, use.name));
    if (depth == 0) counters_.add(batch, counters_.now());
    write_if_full(own);
  }
  open_.enter({region, use.call, now, calls, counters_.now()});
  begin_wait(now, use);
}

void LocationImport::end_wait(std::uint64_t ticks) {
  const CallId call = std::exchange(waits_, CallId::none);
  if (call == CallId::none || ticks <= waits_since_ticks_) return;
  EventStream& own = stream(open_.calls());
  EventBatch& batch = own.add(call, waits_since_ticks_, ticks, 0);
  if (open_.calls() == 0) counters_.add(batch, waits_counters_);
  write_if_full(own);
}

void LocationImport::begin_wait(std::uint64_t ticks, const RegionUse& use) {
  const OTF2_RegionRef* const inside = open_.innermost();
  if (inside != nullptr)
    waits_ = context_.regions.of(*inside).waits;
  else if (use.is_openmp && streams_.front().thread().value != 0)
    waits_ = CallId::omp_implicit_barrier;  // its share is over, and the next one has not begun
  if (waits_ == CallId::none) return;
  waits_since_ticks_ = ticks;
  waits_counters_ = counters_.now();
}

void LocationImport::leave(std::uint64_t ticks, OTF2_RegionRef region) {
  const std::uint64_t now = context_.clock.ticks(ticks);
  end_wait(now);
  const bool is_open = open_.leave(region, [&](Open& open, bool is_left) {
    if (!is_left) left_out("leaves of regions: they end with the region around them");
    close(open, now, 0);
  });
  if (!is_open) left_out("leaves of regions that were not entered");
  begin_wait(now, context_.regions.of(region));
}

/// Its region is no longer among the open ones.
void LocationImport::close(Open& open, std::uint64_t ticks, std::uint8_t flags) {
  const std::size_t depth = open_.calls();  // inside calls nothing is counted: it is part of the call around
  EventStream& own = stream(depth);
  if (open.call == CallId::none) {
    const RegionUse& use = context_.regions.of(open.region);
    EventBatch& batch =
        own.add_user(CallId::UserRegion, ticks, kFlagEnds, output_.definition(UserKind::region, use.level, use.name));
    if (depth == 0) counters_.add(batch, counters_.now());
  } else {
    EventBatch& batch = own.add(open.call, open.enter_ticks, ticks, flags);
    if ((flags & kFlagUnfinished) != 0) return;
    add_rows(batch, open);
    if (depth == 0) counters_.add(batch, open.counters);
  }
  write_if_full(own);
}

void LocationImport::add_rows(EventBatch& batch, Open& open) {
  const auto set = [&](Payload payload) { batch.payload.back() = payload; };
  const auto add_received = [&](const PointToPoint& row) {
    batch.completions.push_back({0, row.peer, row.tag, row.count});
    batch.completion_count.back() = 1;
  };
  const bool has_links = open.sent || open.received || open.collective || !open.completions.empty();
  if (open.count > 0 && !has_links) {
    set(Payload::polls);
    batch.polls.push_back({0, -1, -1, open.count, batch.leave_ticks.back() - batch.enter_ticks.back(), 0});
    return;
  }
  if (open.count > 1) output_.left_out.add("calls that are part of an event with a message or request", open.count - 1);
  switch (facts_of(open.call).role) {
    case Role::send:
    case Role::isend:
    case Role::receive:
    case Role::irecv: {
      const std::optional<PointToPoint>& row = open.sent ? open.sent : open.received;
      if (!row) break;  // to or from MPI_PROC_NULL, or left out
      set(Payload::p2p);
      batch.p2p.push_back(*row);
      if (facts_of(open.call).role == Role::receive) add_received(*row);
      break;
    }
    case Role::sendrecv: {
      if (!open.sent && !open.received) break;
      const PointToPoint nobody{context_.world.world_handle(), kProcNull, 0, 0, 1, 0, 0};
      set(Payload::sendrecv);
      batch.p2p.push_back(open.sent.value_or(nobody));
      batch.p2p.push_back(open.received.value_or(nobody));
      if (open.received) add_received(*open.received);
      break;
    }
    case Role::send_init:
    case Role::psend_init:
    case Role::recv_init:
    case Role::precv_init:
      add_template(batch, open);
      break;
    case Role::complete:
    case Role::start:
    case Role::request_free:
      set(Payload::requests);
      batch.completion_count.back() = static_cast<std::uint32_t>(open.completions.size());
      batch.completions.insert(batch.completions.end(), open.completions.begin(), open.completions.end());
      break;
    case Role::collective:
    case Role::icollective:
      if (!open.collective) break;
      set(Payload::coll);
      batch.coll.push_back(*open.collective);
      break;
    default:
      break;
  }
}

/// A call that makes a persistent request: the next one that the scan found.
void LocationImport::add_template(EventBatch& batch, const Open& open) {
  const Role role = facts_of(open.call).role;
  const bool is_send = role == Role::send_init || role == Role::psend_init;
  const std::vector<Repeated>& known = is_send ? sends_ : receives_;
  const std::size_t number = is_send ? made_sends_++ : made_receives_++;
  if (number >= known.size()) return;  // never started, or like an earlier one that it replaces
  const Repeated& repeated = known[number];
  const CommPlace place = context_.world.place(repeated.comm, output_.rank());
  if (place.comm == nullptr) return;
  const auto at = static_cast<std::uint32_t>(number);
  batch.payload.back() = Payload::p2p;
  batch.p2p.push_back({place.comm->handle, repeated.peer, repeated.tag, static_cast<std::int64_t>(repeated.bytes), 1, 0,
                       is_send ? handles_.of_send(at) : handles_.of_receive(at)});
}

template <class... Roles>
LocationImport::Open* LocationImport::call_of(Roles... roles) {
  Open* const call = open_.call();
  if (call == nullptr) return nullptr;
  const Role role = facts_of(call->call).role;
  return ((role == roles) || ...) ? call : nullptr;
}

std::optional<PointToPoint> LocationImport::row_of(const Message& message, bool is_send) {
  const std::optional<Channel> channel = context_.world.channel(message, output_.rank(), is_send);
  if (!channel || message.bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    left_out("messages whose communicator or partner is not defined");
    return std::nullopt;
  }
  if (!context_.channels.is_reliable(*channel)) {
    ++output_.one_sided_messages;
    return std::nullopt;
  }
  return PointToPoint{channel->comm,
                      is_send ? channel->target : channel->source,
                      channel->tag,
                      static_cast<std::int64_t>(message.bytes),
                      1,
                      0,
                      0};
}

std::optional<Collective> LocationImport::row_of(const CollectivePart& part, CallId call) {
  const CommPlace place = context_.world.place(part.comm, output_.rank());
  if (place.comm == nullptr) {
    left_out("collectives whose communicator is not defined");
    return std::nullopt;
  }
  Collective row{place.comm->handle, root_of(part.root), 0, 0, 0, 0};
  set_collective_arguments(row, facts_of(call).bytes, part.bytes_sent, part.bytes_received, place.size, place.rank,
                           place.comm->is_inter());
  return row;
}

Post LocationImport::next_post() {
  const Post* const post = posts_.next();
  if (post != nullptr) return *post;
  if (Status read = posts_.status(); !read && status_) status_ = std::move(read);
  return {};
}

void LocationImport::sent(const Message& message) {
  Open* const call = call_of(Role::send, Role::isend, Role::sendrecv);
  if (call == nullptr || call->sent) return left_out("sends outside of calls that send one message");
  call->sent = row_of(message, true);
}

void LocationImport::received(const Message& message) {
  Open* const call = call_of(Role::receive, Role::sendrecv);
  if (call == nullptr || call->received) return left_out("receives outside of calls that receive one message");
  call->received = row_of(message, false);
}

void LocationImport::isent(const Message& message, std::uint64_t request) {
  const Post post = next_post();
  if (Open* const call = call_of(Role::start); call != nullptr) {
    if (!row_of(message, true)) return;
    if (post.persistent == 0 || call->completions.size() == kMostCompletions)
      return left_out("sends of persistent requests whose MPI_Send_init is missing");
    const std::uint64_t handle = handles_.of_send(post.persistent - 1);
    call->completions.push_back({handle, 0, 0, 0});
    if (post.is_complete != 0) handles_.begin_persistent(request, handle);
    return;
  }
  Open* const call = call_of(Role::send, Role::isend);
  if (call == nullptr || call->sent) return left_out("sends outside of calls that send one message");
  call->sent = row_of(message, true);
  if (call->sent && post.is_complete != 0) call->sent->request = handles_.begin(request);
}

void LocationImport::receive_posted(std::uint64_t request) {
  const Post post = next_post();
  Open* const call = call_of(Role::start, Role::irecv);
  if (call == nullptr || call->received) return left_out("posted receives outside of calls that post one receive");
  if (post.is_complete == 0) {
    if (!context_.channels.lacks_sides()) return left_out("posted receives that never complete");
    ++output_.one_sided_messages;
    return;
  }
  if (facts_of(call->call).role == Role::start) {
    if (post.persistent == 0 || call->completions.size() == kMostCompletions)
      return left_out("receives of persistent requests whose MPI_Recv_init is missing");
    const std::uint64_t handle = handles_.of_receive(post.persistent - 1);
    call->completions.push_back({handle, 0, 0, 0});
    return handles_.begin_persistent(request, handle);
  }
  call->received = row_of({post.peer, post.comm, post.tag, post.bytes}, false);
  if (call->received) call->received->request = handles_.begin(request);
}

void LocationImport::complete(std::uint64_t request, const Completion& outcome, std::string_view nobody) {
  Open* const call = call_of(Role::complete, Role::request_free);
  const std::optional<std::uint64_t> handle = handles_.end(request);
  if (!handle) return;  // its start was counted as left out
  if (call == nullptr || call->completions.size() == kMostCompletions) return left_out(nobody);
  Completion completion = outcome;
  completion.request = *handle;
  call->completions.push_back(completion);
}

void LocationImport::send_completed(std::uint64_t request) {
  complete(request, kEnded, "completions of sends outside of calls such as MPI_Wait");
}

void LocationImport::ireceived(const Message& message, std::uint64_t request) {
  complete(request,
           {0, static_cast<std::int32_t>(message.peer), static_cast<std::int32_t>(message.tag),
            static_cast<std::int64_t>(message.bytes)},
           "completions of receives outside of calls such as MPI_Wait");
}

void LocationImport::cancelled(std::uint64_t request) {
  complete(request, {0, 0, 0, kCancelled}, "cancelled requests outside of calls such as MPI_Wait");
}

void LocationImport::collective(const CollectivePart& part) {
  Open* call = call_of(Role::collective, Role::icollective);
  // A rank by itself waits for none: its non-blocking collectives have no request.
  if (call != nullptr && facts_of(call->call).role == Role::icollective &&
      context_.world.place(part.comm, output_.rank()).size != 1)
    call = nullptr;
  if (call == nullptr || call->collective)
    return left_out("collective parts of calls such as MPI_Comm_dup: they are calls only");
  call->collective = row_of(part, call->call);
}

void LocationImport::collective_started(std::uint64_t request) {
  const Post post = next_post();
  Open* const call = call_of(Role::icollective);
  if (call == nullptr || call->collective)
    return left_out("collectives of persistent requests, or outside of calls that start one");
  if (post.is_complete == 0) return left_out("collectives that never complete");
  call->collective = row_of({post.comm, post.peer, post.bytes, post.bytes_received}, call->call);
  if (call->collective) call->collective->request = handles_.begin(request);
}

void LocationImport::collective_completed(const CollectivePart&, std::uint64_t request) {
  complete(request, kEnded, "completions of collectives outside of calls such as MPI_Wait");
}

void LocationImport::measured(std::uint64_t ticks, OTF2_MetricRef metric, std::span<const OTF2_Type> types,
                              std::span<const OTF2_MetricValue> values) {
  if (counters_.takes(metric)) return counters_.read(types, values);
  const auto known = context_.definitions.metric_classes.find(metric);
  if (known == context_.definitions.metric_classes.end()) return left_out("values of metrics that are not defined");
  EventStream& own = stream(open_.calls());
  for (std::size_t i = 0; i < std::min({known->second.members.size(), types.size(), values.size()}); ++i) {
    const auto member = context_.definitions.metrics.find(known->second.members[i]);
    std::string name;
    if (member != context_.definitions.metrics.end()) name = context_.definitions.text(member->second.name);
    if (name.empty()) name = "unknown metric";
    EventBatch& batch = own.add_user(CallId::UserEvent, context_.clock.ticks(ticks), 0,
                                     output_.definition(UserKind::counter, "counter", name));
    batch.user.back().words = 1;
    batch.user_values.push_back(std::bit_cast<std::uint64_t>(value_of(types[i], values[i])));
  }
  write_if_full(own);
}

void LocationImport::flushed(std::uint64_t begin_ticks, std::uint64_t end_ticks) {
  if (++rows_of_rank_ > kMostRowsOfRank) return left_out("times in which records were written");
  output_.meta().overheads.push_back({OverheadKind::flush_wait, streams_.front().thread().value,
                                      context_.clock.ticks(begin_ticks), context_.clock.ticks(end_ticks), 1});
}

/// Recording is switched for a whole process; the records of its first thread count.
void LocationImport::switched(std::uint64_t ticks, bool is_on) {
  if (streams_.front().thread().value != 0) return;
  if (++rows_of_rank_ > kMostRowsOfRank) return left_out("switches of the recording");
  output_.meta().texts.push_back({"recording", is_on ? "on" : "off", 0, context_.clock.ticks(ticks)});
}

Status LocationImport::finish() {
  open_.end([&](Open& open) {
    if (open.call != CallId::none) close(open, open.enter_ticks, kFlagUnfinished);
  });
  for (EventStream& own : streams_) {
    if (!status_) return status_;
    status_ = own.write(output_);
    const bool is_nested = &own != &streams_.front();
    ThreadRow row;
    row.thread = own.thread().value;
    row.kernel_tid = is_nested ? 0 : static_cast<std::int32_t>(row.thread) + 1;  // its true one is not in the archive
    row.begin_ticks = own.begin_ticks();
    row.events = own.events();
    row.end_ticks = own.end_ticks();
    output_.meta().threads.push_back(row);
  }
  return status_;
}

}  // namespace meridian::imported
