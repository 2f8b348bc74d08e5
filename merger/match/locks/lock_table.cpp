// SPDX-License-Identifier: Apache-2.0
#include "merger/match/locks/lock_table.hpp"

#include <algorithm>
#include <tuple>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/lock_kinds.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostObjects = 1 << 16;  // further ones share one row per kind, with object 0

std::int64_t thread_of(const RankMeta& meta, std::int32_t kernel_tid) {
  for (auto row = meta.threads.rbegin(); row != meta.threads.rend(); ++row)
    if (row->kernel_tid == kernel_tid) return row->thread;
  return -1;
}

}  // namespace

LockTable::Lock& LockTable::at(LockKind kind, std::uint64_t object) {
  const LockObject key{object_kind(kind), object};
  if (const auto found = locks_.find(key); found != locks_.end()) return found->second;
  if (locks_.size() >= kMostObjects) return locks_[{object_kind(kind), 0}];
  return locks_[key];
}

void LockTable::add(const Call& call, std::int64_t enter_ns, std::int64_t duration_ns) {
  if (call.payload != Payload::lock || call.call == CallId::none) return;
  const LockUse& use = *call.lock;
  if (use.kind == 0 || use.kind >= static_cast<std::uint8_t>(LockKind::count_)) return;
  if (use.kind == static_cast<std::uint8_t>(LockKind::team)) return;  // analysis/openmp_regions.cpp
  holds_.add(call, enter_ns, enter_ns + duration_ns);
  Lock& lock = at(static_cast<LockKind>(use.kind), use.object);
  switch (lock_facts(call.call).use) {
    case LockUseKind::birth:
      if (!call.has(kFlagFailed)) ++lock.lives;
      return;
    case LockUseKind::open:
      if (!call.has(kFlagFailed) && lock.opens++ == 0) ++lock.lives;
      return;
    case LockUseKind::close:
      if (!call.has(kFlagFailed) && lock.opens != 0) --lock.opens;
      return;
    case LockUseKind::take:
      break;
    default:
      return;
  }
  const bool waits = use.is_contended != 0 || use.kind == static_cast<std::uint8_t>(LockKind::barrier);
  if (!call.has(kFlagFailed) && !call.has(kFlagUnfinished)) ++lock.acquisitions;
  if (!waits) return;
  ++lock.contended;
  lock.wait_ns += duration_ns;
  lock.longest_ns = std::max(lock.longest_ns, duration_ns);
  std::erase_if(lock.leaves, [&](std::uint64_t leave) { return leave <= call.enter_ticks; });
  lock.leaves.push_back(call.has(kFlagUnfinished) ? ~std::uint64_t{0} : call.leave_ticks);
  lock.most_waiters = std::max<std::uint64_t>(lock.most_waiters, lock.leaves.size());
  if (use.holder_tid > 0) ++lock.holders[use.holder_tid];
  ++lock.waiters[call.thread];
}

void LockTable::add_join(const Call& call, std::int64_t duration_ns) {
  if (call.payload != Payload::thread_op || !waits_for_thread(call.call) || call.thread_op->thread == kNoThread) return;
  joined_ns_[{call.thread, call.thread_op->thread}] += std::max<std::int64_t>(duration_ns, 0);
}

std::vector<LockSummary> LockTable::rows(const RankMeta& meta) const {
  std::map<std::pair<LockKind, std::uint64_t>, LockSummary> rows;
  const auto row_of = [&](LockKind kind, std::uint64_t object) -> LockSummary& {
    LockSummary& row = rows[{object_kind(kind), object}];
    row.rank = meta.rank;
    row.kind = names_of(kind).name;
    row.object = object;
    return row;
  };
  for (const auto& [key, lock] : locks_) {
    LockSummary& row = row_of(key.kind, key.address);
    row.acquisitions = lock.acquisitions;
    row.contended = lock.contended;
    row.lives = std::max<std::uint64_t>(lock.lives, 1);
    row.wait_s = static_cast<double>(lock.wait_ns) * kSecondsPerNs;
    row.longest_s = static_cast<double>(lock.longest_ns) * kSecondsPerNs;
    row.most_waiters = lock.most_waiters;
    if (const LockHolds::Sum* const hold = holds_.of(key); hold != nullptr) {
      row.holds = hold->count;
      row.hold_s = static_cast<double>(hold->total_ns) * kSecondsPerNs;
      row.longest_hold_s = static_cast<double>(hold->longest_ns) * kSecondsPerNs;
    }
    const auto most = std::ranges::max_element(lock.holders, {}, [](const auto& holder) { return holder.second; });
    if (most != lock.holders.end()) {
      row.holder = thread_of(meta, most->first);
      row.held = most->second;
    }
    const auto waiter = std::ranges::max_element(lock.waiters, {}, [](const auto& entry) { return entry.second; });
    if (waiter != lock.waiters.end()) {
      row.waiter = waiter->first;
      row.waited = waiter->second;
    }
  }
  for (const LockCountRow& count : meta.lock_counts) {
    if (count.kind == LockKind::busy || count.kind == LockKind::unawaited) continue;
    LockSummary& row = row_of(count.kind, count.object);
    row.acquisitions += count.count;
    row.lives = std::max<std::uint64_t>(row.lives, 1);
  }
  std::vector<LockSummary> list;
  for (auto& [key, row] : rows)
    if (row.acquisitions != 0 || row.contended != 0) list.push_back(std::move(row));
  std::ranges::sort(list, [](const LockSummary& a, const LockSummary& b) {
    return std::tie(b.wait_s, b.acquisitions, a.kind, a.object) < std::tie(a.wait_s, a.acquisitions, b.kind, b.object);
  });
  return list;
}

}  // namespace meridian
