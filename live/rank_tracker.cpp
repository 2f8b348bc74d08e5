// SPDX-License-Identifier: Apache-2.0
#include "live/rank_tracker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

#include "trace/definitions/nested_threads.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/lock_calls.hpp"

namespace meridian {
namespace {

using Kind = WaitedFor::Kind;

bool is_blocking(CallId call) { return facts_of(call).blocks != Blocks::no; }
bool is_persistent(CallId call) { return is_persistent(facts_of(call).role); }

bool is_sent(CallId call, std::size_t side) {
  switch (facts_of(call).role) {
    case Role::send:
    case Role::isend:
    case Role::send_init:
    case Role::psend_init:
      return true;
    case Role::sendrecv:
    case Role::isendrecv:
      return side == 0;
    default:
      return false;
  }
}

std::size_t sides_of(Payload payload) { return payload == Payload::sendrecv ? 2 : payload == Payload::p2p ? 1 : 0; }

}  // namespace

struct RankTracker::Call {
  const EventBatch& batch;
  std::size_t at = 0;
  Rows rows{};

  CallId id() const { return batch.call[at]; }
  Payload payload() const { return batch.payload[at]; }
  bool is_polling() const { return payload() == Payload::polls && (batch.flags[at] & kFlagPolling) != 0; }
  std::uint64_t count() const { return payload() == Payload::polls ? batch.polls[rows.polls].calls : 1; }
  bool is_open() const { return (batch.flags[at] & kFlagUnfinished) != 0; }
  std::uint64_t enter() const { return batch.enter_ticks[at]; }
  /// 0: in progress.
  std::uint64_t leave() const { return is_open() ? 0 : batch.leave_ticks[at]; }

  /// Advances to the rows of the next call.
  void skip() {
    switch (payload()) {
#define MERIDIAN_EVENT(name, Row, table) \
  case Payload::name:                    \
    ++rows.table;                        \
    break;
#define MERIDIAN_PAIR(name, of, Row, table) \
  case Payload::name:                       \
    rows.table += 2;                        \
    break;
#define MERIDIAN_OTHER(name, Body)
#include "trace/model/payloads.def"
      default:
        break;
    }
    rows.completions += batch.completion_count[at];
    rows.sites += (batch.flags[at] & kFlagSite) != 0 ? 1 : 0;
    ++at;
  }
};

void RankTracker::take(std::uint32_t thread, const EventBatch& batch) {
  ThreadNow& now = threads_[thread];
  now.thread = thread;
  for (Call call{batch}; call.at < batch.call.size(); call.skip()) take_call(now, call);
}

void RankTracker::count(ThreadNow& thread, const Call& call) {
  if (info(call.id()).group == CallGroup::user)
    ++thread.user_events;
  else
    (is_mpi(call.id()) || call.id() == CallId::none ? thread.calls : thread.thread_calls) += call.count();
}

void RankTracker::take_call(ThreadNow& thread, const Call& call) {
  const EventBatch& batch = call.batch;
  count(thread, call);
  thread.has_called_mpi = thread.has_called_mpi || is_mpi(call.id());
  if (call.is_polling() && thread.polls != 0) {  // another place of the phase in progress
    thread.polls += call.count();
    return;
  }
  const bool is_under_way = call.is_open() || call.is_polling();
  thread.call = is_under_way ? call.id() : CallId::none;
  thread.since_ticks = is_under_way ? call.enter() : call.leave();
  thread.polls = call.is_polling() ? call.count() : 0;
  last_ticks_ = std::max(last_ticks_, thread.since_ticks);
  if (is_under_way) {
    thread.is_one_enough = facts_of(call.id()).blocks == Blocks::for_any;
    const bool has_site = (batch.flags[call.at] & kFlagSite) != 0 && call.rows.sites < batch.sites.size();
    thread.return_address = has_site ? batch.sites[call.rows.sites] : 0;
    thread.stack_node = has_site && call.rows.sites < batch.nodes.size() ? batch.nodes[call.rows.sites] : 0;
  }
  take_rows(thread, call);
}

void RankTracker::take_rows(ThreadNow& thread, const Call& call) {
  const EventBatch& batch = call.batch;
  switch (call.payload()) {
    case Payload::p2p:
    case Payload::sendrecv:
      for (std::size_t side = 0; side < sides_of(call.payload()); ++side)
        if (call.rows.p2p + side < batch.p2p.size()) take_side(thread, call, side);
      break;
    case Payload::coll:
      if (call.rows.coll < batch.coll.size()) take_collective(thread, call);
      break;
    case Payload::requests:
      for (std::size_t i = 0; i < batch.completion_count[call.at]; ++i)
        if (call.rows.completions + i < batch.completions.size())
          take_request(thread, call, batch.completions[call.rows.completions + i]);
      break;
    case Payload::handle:  // the handle may be reused for another communicator
      if (facts_of(call.id()).role == Role::free_comm && call.rows.handles < batch.handles.size())
        forget(batch.handles[call.rows.handles].handle);
      break;
    case Payload::lock:
      if (call.rows.locks < batch.locks.size()) take_lock(thread, call);
      break;
    case Payload::thread_op:
      if (call.rows.thread_ops < batch.thread_ops.size()) take_join(thread, call);
      break;
    default:
      break;
  }
}

void RankTracker::forget(std::uint64_t comm) {
  begun_.erase(comm);
  sent_.erase(comm);
  received_.erase(comm);
}

void RankTracker::take_side(ThreadNow& thread, const Call& call, std::size_t side) {
  const PointToPoint& row = call.batch.p2p[call.rows.p2p + side];
  const Role role = facts_of(call.id()).role;
  if (row.peer == kProcNull || role == Role::mrecv || role == Role::imrecv) return;
  const bool is_send = is_sent(call.id(), side);
  if (!call.is_open() && is_send && !is_persistent(call.id())) ++sent_[row.comm][{row.peer, row.tag}];
  if (!call.is_open() && !is_send && (role == Role::receive || role == Role::sendrecv || role == Role::mprobe))
    count_received(call, row.comm);
  WaitedFor what{.kind = is_send ? Kind::send : Kind::receive, .call = call.id(), .comm = row.comm};
  what.ticks = call.enter();
  what.peer = row.peer;
  what.tag = row.tag;
  add(thread, call, what, role == Role::mprobe ? 0 : row.request);
}

void RankTracker::take_collective(ThreadNow& thread, const Call& call) {
  const Collective& row = call.batch.coll[call.rows.coll];
  if ((call.batch.flags[call.at] & kFlagFailed) != 0 && call.batch.completion_count[call.at] == 0)
    return;  // took no part
  WaitedFor what{.kind = Kind::collective, .call = call.id(), .comm = row.comm};
  what.ticks = call.enter();
  what.peer = kAnySource;
  if (!is_persistent(call.id())) what.instance = begun_[row.comm]++;
  add(thread, call, what, row.request);
}

void RankTracker::take_lock(ThreadNow& thread, const Call& call) {
  const LockUse& use = call.batch.locks[call.rows.locks];
  holders_.take(thread.thread, call.id(), use, call.enter(), call.leave());
  // Not OpenMP's locks, nor waits that end by themselves.
  if (!call.is_open() || info(call.id()).group != CallGroup::lock ||
      lock_facts(call.id()).waits != ThreadAwaits::object)
    return;
  WaitedFor what{.kind = is_held(static_cast<LockKind>(use.kind)) ? Kind::lock : Kind::others, .call = call.id()};
  what.ticks = call.enter();
  what.object = use.object;
  what.lock = static_cast<LockKind>(use.kind);
  what.holder_tid = use.holder_tid;
  thread.waits.push_back(what);
}

void RankTracker::take_join(ThreadNow& thread, const Call& call) const {
  if (!call.is_open() || lock_facts(call.id()).waits != ThreadAwaits::thread) return;
  const ThreadOp& row = call.batch.thread_ops[call.rows.thread_ops];
  WaitedFor what{.kind = Kind::thread, .call = call.id()};
  what.ticks = call.enter();
  if (row.thread != kNoThread) what.threads.push_back(row.thread);
  thread.waits.push_back(what);
}

void RankTracker::add(ThreadNow& thread, const Call& call, const WaitedFor& what, std::uint64_t request) {
  if (call.is_open() && is_blocking(what.call))
    thread.waits.push_back(what);
  else if (!call.is_open() && request != 0)
    requests_[request] = what;
}

/// Counts the message that a blocking receive or matched probe has taken.
void RankTracker::count_received(const Call& call, std::uint64_t comm) {
  if (call.batch.completion_count[call.at] == 0 || call.rows.completions >= call.batch.completions.size()) return;
  const Completion& found = call.batch.completions[call.rows.completions];
  if (found.request == 0) ++received_[comm][{found.source, found.tag}];
}

/// Pending receives get messages in the order in which they were begun.
void RankTracker::count_posted() {
  using Key = std::tuple<std::uint64_t, std::int32_t, std::int32_t>;
  std::map<Key, std::vector<std::uint64_t>> posted;
  for (const auto& [request, what] : requests_)
    if (what.kind == Kind::receive) posted[{what.comm, what.peer, what.tag}].push_back(what.ticks);
  for (auto& [key, ticks] : posted) std::ranges::sort(ticks);
  for (auto& [number, thread] : threads_)
    for (WaitedFor& what : thread.waits)
      if (const auto ticks = posted.find({what.comm, what.peer, what.tag});
          what.kind == Kind::receive && ticks != posted.end())
        what.posted_before =
            static_cast<std::uint64_t>(std::ranges::lower_bound(ticks->second, what.ticks) - ticks->second.begin());
}

std::vector<WaitedFor> RankTracker::posted() const {
  std::vector<WaitedFor> receives;
  for (const auto& [request, what] : requests_) {
    const bool is_under_way = !is_persistent(what.call) || started_.contains(request);
    if (what.kind == Kind::receive && is_under_way && facts_of(what.call).role != Role::precv_init)
      receives.push_back(what);
  }
  return receives;
}

void RankTracker::take_request(ThreadNow& thread, const Call& call, const Completion& completion) {
  const auto found = requests_.find(completion.request);
  if (found == requests_.end()) return;
  const Role role = facts_of(call.id()).role;
  if (call.is_open()) {
    if (is_blocking(call.id())) thread.waits.push_back(found->second);
    return;
  }
  const WaitedFor& what = found->second;
  if (role == Role::start)
    started_.insert(completion.request);
  else if (role == Role::complete || role == Role::request_free)
    started_.erase(completion.request);
  if (role == Role::complete && what.kind == Kind::receive && completion.bytes >= 0)
    ++received_[what.comm][{completion.source, completion.tag}];
  if (role == Role::request_free || (role == Role::complete && !is_persistent(found->second.call))) {
    requests_.erase(found);
  }
}

/// Adds threads without recorded calls: they can act, too.
void RankTracker::add_silent_threads(const RankMeta& meta, bool is_alive) {
  for (const ThreadRow& row : meta.threads) {
    ThreadNow& thread = threads_[row.thread];
    thread.kernel_tid = row.kernel_tid;
    if (thread.calls + thread.thread_calls + thread.user_events == 0)
      thread.since_ticks = std::max(row.begin_ticks, row.end_ticks);
    thread.is_alive = row.end_ticks == 0;
  }
  for (const TextRow& text : meta.texts)
    if (const auto thread = threads_.find(static_cast<std::uint32_t>(text.handle));
        text.key == "thread.name" && thread != threads_.end())
      thread->second.name = text.value;
  std::error_code ignored;
  for (auto& [number, thread] : threads_) {
    thread.thread = thread.recorded_as = number;
    if (is_alive && thread.is_alive)
      thread.is_alive = std::filesystem::exists(fmt::format("/proc/{}/task/{}", meta.pid, thread.kernel_tid), ignored);
  }
}

/// A thread in a callback waits for whatever its innermost call waits for.
void RankTracker::fold_nested(const RankMeta& meta) {
  for (const auto& [number, outermost] : nested_threads(meta)) {  // by depth: deeper ones have higher numbers
    const auto nested = threads_.find(number);
    const auto outer = threads_.find(outermost);
    if (nested == threads_.end() || outer == threads_.end()) continue;
    ThreadNow inner = std::move(nested->second);
    ThreadNow& thread = outer->second;
    threads_.erase(nested);
    thread.calls += inner.calls;
    if (inner.call == CallId::none || thread.call == CallId::none || inner.since_ticks < thread.since_ticks) continue;
    thread.call = inner.call;
    thread.recorded_as = number;
    thread.since_ticks = inner.since_ticks;
    thread.is_one_enough = inner.is_one_enough;
    thread.waits = std::move(inner.waits);
    thread.return_address = inner.return_address;
    thread.stack_node = inner.stack_node;
  }
}

RankNow RankTracker::finish(RankMeta meta, bool is_alive, const LockHolders::Look& look) {
  RankNow now;
  now.is_alive = is_alive;
  add_silent_threads(meta, is_alive);
  fold_nested(meta);
  count_posted();
  std::set<std::uint64_t> shared;  // semaphores that other processes can post
  for (const TextRow& text : meta.texts)
    if (text.key == kSemaphoreNameKey) shared.insert(text.handle);
  for (auto& [number, thread] : threads_) {
    if (thread.call == CallId::Finalize && !meta.comms.empty()) {  // it returns only after all ranks have entered
      WaitedFor all{.kind = Kind::collective, .call = CallId::Finalize, .comm = meta.comms.front().birth.comm};
      all.ticks = thread.since_ticks;
      all.peer = kAnySource;
      thread.waits.push_back(all);
    }
    for (WaitedFor& what : thread.waits)
      what.is_from_outside = what.kind == Kind::others && shared.contains(what.object);
    now.threads.push_back(std::move(thread));
  }
  holders_.resolve(now.threads, meta.lock_counts, look);
  now.begun = std::move(begun_);
  now.sent = std::move(sent_);
  now.received = std::move(received_);
  now.posted = posted();
  now.meta = std::move(meta);
  set_times(now);
  return now;
}

void RankTracker::set_times(RankNow& now) const {
  if (now.meta.anchors.empty()) return;
  const AnchorRow& first = now.meta.anchors.front();
  const AnchorRow& last = now.meta.anchors.back();
  double ns_per_tick = now.meta.clock == ClockKind::tsc ? 0 : 1;
  if (now.meta.clock == ClockKind::tsc && last.before_ticks > first.before_ticks)
    ns_per_tick = static_cast<double>(last.monotonic_ns - first.monotonic_ns) /
                  static_cast<double>(last.before_ticks - first.before_ticks);
  if (ns_per_tick == 0) return;
  const auto realtime = [&](std::uint64_t ticks) {
    return last.realtime_ns +
           static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks - last.before_ticks)) *
                                     ns_per_tick);
  };
  for (ThreadNow& thread : now.threads) thread.since_realtime_ns = realtime(thread.since_ticks);
  now.last_realtime_ns = std::max(realtime(last_ticks_), last.realtime_ns);
}

}  // namespace meridian
