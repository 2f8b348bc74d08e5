// SPDX-License-Identifier: Apache-2.0
#include "live/progress.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "live/calls_under_way.hpp"
#include "live/process.hpp"
#include "live/rings.hpp"

namespace meridian {

bool WatchedRanks::find_new() {
  const FoundRings found = find_rings(directory_);
  elsewhere_ = found.elsewhere;
  bool is_any = false;
  for (const FoundRing& each : found.rings) {
    if (known_.contains(each.note.ring)) continue;
    auto ring = open_ring(each, RingFile::Access::read_only);
    if (!ring || !ring->is_process_alive()) continue;
    known_.insert(each.note.ring);
    rings_.push_back(*std::move(ring));
    is_any = true;
  }
  return is_any;
}

bool WatchedRanks::is_any_alive() const {
  return std::ranges::any_of(rings_, [](const RingFile& ring) { return ring.is_process_alive(); });
}

std::vector<std::uint64_t> WatchedRanks::mark() const {
  std::vector<std::uint64_t> words;
  for (const RingFile& ring : rings_) {
    words.push_back(ring.is_process_alive() ? 1 : 0);
    for (std::uint32_t slot = 0; slot < ring.geometry().slot_count; ++slot)
      words.push_back(ring.slot(slot).head.load(std::memory_order_acquire));
    for (const auto& [thread, call] : calls_under_way(ring)) {
      words.push_back(thread);
      words.push_back(call.enter_ticks);
      words.push_back(call.leave_ticks);  // moves with the polls of a phase
    }
  }
  return words;
}

CpuTimes WatchedRanks::cpu_times() const {
  CpuTimes times;
  for (const RingFile& ring : rings_) {
    if (!ring.is_process_alive()) continue;
    const std::int32_t pid = ring.header().pid;
    for (const std::int32_t tid : threads_of(pid))
      if (const auto seconds = cpu_seconds(pid, tid)) times[{pid, tid}] = *seconds;
  }
  return times;
}

std::size_t WatchedRanks::terminate() const {
  std::size_t ended = 0;
  for (const RingFile& ring : rings_) {
    if (ring.owner() != ::geteuid() || !ring.is_process_alive()) continue;
    if (::kill(ring.header().pid, SIGTERM) == 0) ++ended;
  }
  return ended;
}

std::vector<std::int32_t> computing_ranks(const std::vector<RankNow>& ranks, const CpuTimes& before,
                                          const CpuTimes& after, double elapsed_s) {
  std::vector<std::int32_t> computing;
  for (const RankNow& rank : ranks) {
    if (!rank.is_alive) continue;
    std::set<std::int32_t> waiting;
    for (const ThreadNow& thread : rank.threads)
      if (thread.call != CallId::none) waiting.insert(thread.kernel_tid);
    const bool is_computing = std::ranges::any_of(after, [&](const auto& entry) {
      if (entry.first.first != rank.meta.pid || waiting.contains(entry.first.second)) return false;
      const auto old = before.find(entry.first);
      return entry.second - (old == before.end() ? 0 : old->second) >= kLeastWork * elapsed_s;
    });
    if (is_computing) computing.push_back(rank.meta.rank);
  }
  return computing;
}

}  // namespace meridian
