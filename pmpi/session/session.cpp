// SPDX-License-Identifier: Apache-2.0
// Start and end of tracing in this process.

#include "pmpi/process/session_state.hpp"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pmpi/choice/choice.hpp"
#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/process/launch.hpp"
#include "pmpi/process/options.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/nested.hpp"
#include "pmpi/rings/ring_file.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/rings/usage.hpp"
#include "pmpi/rings/writer_process.hpp"
#include "pmpi/samples/signal_samples.hpp"
#include "pmpi/session/context.hpp"
#include "pmpi/session/farewell.hpp"
#include "pmpi/session/foreign.hpp"
#include "pmpi/session/init_calls.hpp"
#include "pmpi/session/thread_parts.hpp"
#include "pmpi/stacks/python.hpp"
#include "pmpi/user/definitions.hpp"
#include "trace/model/rank_list.hpp"

namespace meridian {

void stop_session(const char* why) noexcept {
  for (std::uint8_t& enabled : g_enabled) __atomic_store_n(&enabled, std::uint8_t{0}, __ATOMIC_RELAXED);
  close_user_gates();
  const SessionState before = g_session.state.exchange(SessionState::off, std::memory_order_acq_rel);
  if (why != nullptr && before != SessionState::off) say("%s; this run is not traced", why);
}

void stop_in_child() noexcept {
  stop_session(nullptr);
  t_state = ThreadState{};  // the rings are not mapped here
  t_own = OwnThread{};
  g_session.ring = nullptr;
}

namespace {

bool refuse(Refusal refusal, const char* why) noexcept {
  g_session.refusal = refusal;
  stop_session(why);
  return false;
}

/// False: not now (there is no MPI in this process yet), or stop_session() was called.
bool try_start() noexcept {
  const bool has_mpi = find_mpi();  // also for a call that is under way while step_aside() works
  if (step_aside() || !has_mpi) return false;
  // A set-uid program must not read its user's options or write files for that user.
  if (getauxval(AT_SECURE) != 0) return refuse(Refusal::unwanted, nullptr);
  const int rank = launched_rank();
  const bool has_good_options = read_options(rank <= 0);
  const bool has_good_events = read_user_file(rank <= 0);
  const bool has_good_filter = read_filter_file(rank <= 0);
  if (!has_good_options || (!(has_good_events && has_good_filter) && g_session.options.is_on(OptionId::strict)))
    return refuse(Refusal::unwanted, "MERIDIAN_STRICT is set and the options have mistakes");
  if (!choose_counters(rank <= 0))
    return refuse(Refusal::unwanted, "MERIDIAN_STRICT is set and not all of MERIDIAN_COUNTERS can be counted");
  const std::string_view clock = g_session.options[OptionId::clock].text;
  if (!choose_clock(clock.data(), clock.size()) && rank <= 0)
    say("the processor's counter is not a safe clock on this machine; using monotonic_raw");
  if (!list_has_rank(g_session.options[OptionId::ranks].text, rank < 0 ? 0 : rank))
    return refuse(Refusal::filtered, nullptr);
  if (!create_ring()) return refuse(Refusal::no_ring, nullptr);
  g_session.pid = getpid();
  prepare_selection();
  find_python();
  prepare_threads(&begin_thread_samples, &release_thread);
  pthread_atfork(nullptr, nullptr, &stop_in_child);
  forget_levels_in_children();
  apply_levels(g_session.options.is_on(OptionId::enabled));
  g_session.ring->run_state.store(RunState::running, std::memory_order_release);
  return true;
}

std::atomic<long> g_starting_thread{0};

/// Waits while another thread starts the session: calls made in that time must neither get lost nor proceed before
/// MPI's functions have been found. Bounded, because that thread may need a lock that this one holds (a constructor in
/// dlopen).
bool wait_for_start() noexcept {
  constexpr timespec kPause{0, 100'000};
  constexpr int kMostPauses = 20'000;
  const bool is_same_thread = g_starting_thread.load(std::memory_order_relaxed) == syscall(SYS_gettid);
  for (int i = 0; i < kMostPauses && !is_same_thread; ++i) {
    const SessionState state = g_session.state.load(std::memory_order_acquire);
    if (state != SessionState::starting) return state == SessionState::on;
    g_libc.clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
  }
  find_mpi();
  return false;
}

}  // namespace

bool start_session() noexcept {
  const BusyThread busy;  // hooks of the MPI library see the mappings of the tracer
  SessionState expected = SessionState::idle;
  if (!g_session.state.compare_exchange_strong(expected, SessionState::starting, std::memory_order_acq_rel))
    return expected == SessionState::starting ? wait_for_start() : expected == SessionState::on;
  g_starting_thread.store(syscall(SYS_gettid), std::memory_order_relaxed);
  const bool started = try_start();
  g_starting_thread.store(0, std::memory_order_relaxed);
  // Without MPI it is tried again at the next call, because MPI may be loaded later.
  if (g_session.state.load(std::memory_order_acquire) != SessionState::off)
    g_session.state.store(started ? SessionState::on : SessionState::idle, std::memory_order_release);
  return started;
}

namespace {

/// Whether the program has threads besides this one: exit() does not stop them.
bool has_other_threads() noexcept {
  for (std::uint32_t i = 0; i < g_session.ring->card_count; ++i) {
    const CardState state = g_session.cards[i].state.load(std::memory_order_acquire);
    if ((state == CardState::live || state == CardState::taken) && &g_session.cards[i] != t_own.card) return true;
  }
  for (std::uint32_t i = 0; i < g_session.ring->slot_count; ++i) {
    const RingSlot& slot = g_session.slots[i];
    if (!is_own_slot(slot) && slot.state.load(std::memory_order_acquire) == SlotState::active) return true;
  }
  return false;
}

/// Runs at the end of the process, as the C library sees it: records stored after MPI_Finalize, or without it, are
/// still written.
[[gnu::destructor]] void end_session() noexcept {
  const SessionState state = g_session.state.load(std::memory_order_acquire);
  if (state != SessionState::off && !g_session.is_initialized.load()) tell_no_trace();
  if (state != SessionState::on || g_session.pid != getpid()) return;
  after_hidden_finalize();
  const bool has_left_early = g_session.is_initialized.load() && !g_session.is_finalized.load();
  if (has_left_early && !g_session.is_aborting.load()) tell_trace();
  const bool is_abandoned = g_session.ring->output_dir[0] == '\0';
  if (!is_abandoned && has_unwritten_records()) store_usage_of_all();
  // Other threads run, and record, until the kernel ends them: the writer detects the end of the process.
  if (!is_abandoned && g_session.writer_started.load(std::memory_order_acquire) && has_other_threads()) {
    wake_writer();
    return;
  }
  stop_session(nullptr);
  t_state.all_counters = nullptr;  // they end with the process; PAPI may already be finalised
  release_thread();
  end_thread();
  RingFileHeader& ring = *g_session.ring;
  ring.run_state.store(RunState::ended, std::memory_order_release);
  if (!g_session.writer_started.load(std::memory_order_acquire)) {
    if (ring.output_dir[0] == '\0')
      unlink(g_session.ring_path);  // MPI was never started: the ring file has no data to
                                    // keep
    return;
  }
  // After MPI_Abort, and once a rank has left without MPI_Finalize, the launcher may kill the ranks that are still there,
  // and their exit code changes. The writer therefore finishes alone.
  const bool may_be_killed =
      g_session.is_aborting.load(std::memory_order_acquire) || !g_session.is_finalized.load(std::memory_order_acquire);
  if (has_unwritten_records() && !may_be_killed) {
    request_rank_file();
  } else {
    wake_writer();
  }
}

}  // namespace
}  // namespace meridian
