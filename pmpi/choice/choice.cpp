// SPDX-License-Identifier: Apache-2.0
// Selection of calls beyond MERIDIAN_LEVELS: limits and requests of `meridian control`; also counts the calls that are
// not recorded.

#include "pmpi/choice/choice.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/rings/usage.hpp"
#include "pmpi/user/events.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

char g_outside_levels[kControlBytes];
std::atomic<std::uint32_t> g_seen_sequence{0};

// [CallId]: recorded calls of functions with a limit.
std::atomic<std::uint64_t> g_call_counts[kCallCount];
std::atomic<bool> g_throttled[kCallCount];

pthread_once_t g_shards_once = PTHREAD_ONCE_INIT;
std::uint64_t* g_shards = nullptr;
std::atomic<std::uint64_t> g_taken_shards{0};  ///< bit i: a live thread has shard i
static_assert(kPassedShards == 64);
constexpr std::uint64_t kSharedShard = kPassedShards - 1;
constexpr std::uint64_t kShardBytes = kCallCount * sizeof(std::uint64_t);

/// Maps the shards behind the contents of the ring file, with memory for every page.
void map_shards() noexcept {
  RingFileHeader& ring = *g_session.ring;
  const int fd = open(g_session.ring_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  const off_t end = lseek(fd, 0, SEEK_END);
  const std::uint64_t offset =
      (static_cast<std::uint64_t>(end < 0 ? 0 : end) + kRingPageBytes - 1) / kRingPageBytes * kRingPageBytes;
  constexpr std::uint64_t kBytes = kPassedShards * kShardBytes;
  void* data = MAP_FAILED;
  if (end > 0 && posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(kBytes)) == 0)
    data = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  close(fd);
  if (data == MAP_FAILED) return;
  madvise(data, kBytes, MADV_DONTFORK);
  ring.passed_offset = offset;
  ring.passed_calls.store(kCallCount, std::memory_order_release);
  g_shards = static_cast<std::uint64_t*>(data);
}

/// A shard for the calling thread; null: none is left.
std::uint64_t* take_shard() noexcept {
  std::uint64_t taken = g_taken_shards.load(std::memory_order_relaxed);
  for (;;) {
    const auto free = static_cast<std::uint64_t>(__builtin_ctzll(~taken));
    if (~taken == 0 || free == kSharedShard) return nullptr;
    if (g_taken_shards.compare_exchange_weak(taken, taken | std::uint64_t{1} << free, std::memory_order_acquire)) {
      watch_thread_end();
      return g_shards + kCallCount * free;
    }
  }
}

/// Whether other calls cannot be matched if calls like this one are not recorded.
bool is_missed(const CallInfo& call) noexcept {
  if (call.group != CallGroup::p2p && call.group != CallGroup::request && call.group != CallGroup::coll) return false;
  for (const char* const pattern : {"MPI_Probe", "MPI_Iprobe", "MPI_Request_get_status*"})
    if (matches_glob(pattern, call.name)) return false;
  return true;
}

/// Stops recording of a function, or of all functions for messages or collectives if it is one of them: the others
/// could not be matched.
void throttle(CallId id) noexcept {
  const CallInfo& reached = kCalls[static_cast<std::size_t>(id)];
  const auto is_same_kind = [&](const CallInfo& call) {
    const bool is_message = call.group == CallGroup::p2p || call.group == CallGroup::request;
    const bool is_reached_message = reached.group == CallGroup::p2p || reached.group == CallGroup::request;
    return is_missed(call) && (is_message == is_reached_message);
  };
  for (std::size_t i = 1; i <= kMpiCallCount; ++i) {
    if (i != static_cast<std::size_t>(id) && !(is_missed(reached) && is_same_kind(kCalls[i]))) continue;
    g_throttled[i].store(true, std::memory_order_relaxed);
    __atomic_store_n(&g_enabled[i], kCallOff, __ATOMIC_RELAXED);
  }
  emit_text(kThrottledKey, reached.name.data(), reached.name.size(), 0);
  if (is_missed(reached)) store_recording(false);
}

}  // namespace

void pass_by_slowly(CallId id) noexcept {
  if (*g_is_same_process == 0) return stop_in_child();
  if (g_session.state.load(std::memory_order_acquire) != SessionState::on) return;
  const int saved_errno = errno;
  const BusyThread busy;
  g_libc.pthread_once(&g_shards_once, &map_shards);
  if (g_shards == nullptr) {
    count_loss(Loss::no_memory);
  } else {
    t_state.passed = take_shard();
    std::uint64_t* const counts = t_state.passed != nullptr ? t_state.passed : g_shards + kCallCount * kSharedShard;
    __atomic_fetch_add(&counts[static_cast<std::size_t>(id)], 1, __ATOMIC_RELAXED);
    look_outside();
  }
  errno = saved_errno;
}

void give_back_shard(ThreadState& thread) noexcept {
  if (thread.passed == nullptr) return;
  const auto shard = static_cast<std::uint64_t>(thread.passed - g_shards) / kCallCount;
  thread.passed = nullptr;
  g_taken_shards.fetch_and(~(std::uint64_t{1} << shard), std::memory_order_release);
}

void look_outside() noexcept {
  const BusyThread busy;
  const int saved_errno = errno;
  ThreadState& thread = t_state;
  if (thread.slot != nullptr) thread.slot->asked.store(0, std::memory_order_relaxed);
  if (thread.passed != nullptr) __atomic_store_n(&thread.passed[0], std::uint64_t{0}, __ATOMIC_RELAXED);
  RingFileHeader* const ring = g_session.ring;
  if (ring == nullptr || g_session.state.load(std::memory_order_acquire) != SessionState::on) return;
  const std::uint32_t sequence = ring->control_sequence.load(std::memory_order_acquire);
  if (g_seen_sequence.exchange(sequence, std::memory_order_acq_rel) == sequence) return;
  char levels[kControlBytes];
  memcpy(levels, ring->control_levels, sizeof levels);
  levels[sizeof levels - 1] = '\0';
  const bool is_list = levels[0] != '\0' && parse_groups(levels).problem == TextProblem::none;
  if (is_list) memcpy(g_outside_levels, levels, sizeof levels);
  const auto state = static_cast<ControlState>(ring->control_state.exchange(0, std::memory_order_relaxed));
  const bool is_on = state == ControlState::none ? g_session.is_recording.load() : state == ControlState::on;
  const char* const what = is_list ? g_outside_levels : "all";
  if (!is_on) note_switch(what, is_on);
  note_outside_switch();
  switch_recording(is_on);
  if (is_on) note_switch(what, is_on);
  errno = saved_errno;
}

std::string_view current_levels() noexcept {
  if (g_outside_levels[0] != '\0') return g_outside_levels;
  return g_session.options[OptionId::levels].text;
}

std::uint8_t choice_of(CallId id, bool recording) noexcept {
  const auto index = static_cast<std::size_t>(id);
  const CallInfo& call = kCalls[index];
  const Choosable what{call.name, kGroups[static_cast<std::size_t>(call.group)].name};
  if (!recording || is_over() || !list_chooses(current_levels(), what) || is_filtered(call.name)) return kCallOff;
  if (g_throttled[index].load(std::memory_order_relaxed)) return kCallOff;
  if (is_selective(id)) return kCallCloser;
  if (is_outside_window()) return kCallOff;  // not an MPI call: it would not check the clock
  return is_mpi(id) && g_session.options.number(OptionId::max_calls) != 0 ? kCallCloser : kCallOn;
}

bool is_wanted(CallId id) noexcept {
  if (is_inside_call()) return true;  // make_room() handles this
  if (!look_at_window()) return false;
  const auto index = static_cast<std::size_t>(id);
  const auto limit = static_cast<std::uint64_t>(g_session.options.number(OptionId::max_calls));
  if (limit == 0 || g_call_counts[index].fetch_add(1, std::memory_order_relaxed) < limit) return true;
  if (!g_throttled[index].load(std::memory_order_relaxed)) throttle(id);
  return false;
}

void uncount_towards_limit(CallId id) noexcept {
  if (g_session.options.number(OptionId::max_calls) == 0) return;
  std::atomic<std::uint64_t>& count = g_call_counts[static_cast<std::size_t>(id)];
  std::uint64_t before = count.load(std::memory_order_relaxed);  // 0: nested calls are not counted
  while (before != 0 && !count.compare_exchange_weak(before, before - 1, std::memory_order_relaxed)) {
  }
}

const char* limit_reached() noexcept {
  if (is_full()) return "MERIDIAN_MAX_SIZE";
  const bool is_any = std::ranges::any_of(
      g_throttled, [](const auto& is_throttled) { return is_throttled.load(std::memory_order_relaxed); });
  return is_any ? "MERIDIAN_MAX_CALLS" : nullptr;
}

void note_outside_switch() noexcept { emit_text(kSwitchedKey, "outside", 7, 0); }

void store_recording(bool only_gaps) noexcept {
  std::string_view state = "on";
  for (std::size_t i = 1; i <= kMpiCallCount && state == "on"; ++i)
    if (is_missed(kCalls[i]) && __atomic_load_n(&g_enabled[i], __ATOMIC_RELAXED) == kCallOff)
      state = g_throttled[i].load(std::memory_order_relaxed) ? "limited" : "partial";
  if (!g_session.is_recording.load() || is_outside_window()) state = "off";
  note_recording(state != "off");
  if (!only_gaps || state != "on") emit_text("recording", state.data(), state.size(), 0);
}

}  // namespace meridian
