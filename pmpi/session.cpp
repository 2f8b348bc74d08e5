// Start and end of tracing in this process.

#include "pmpi/session.hpp"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pmpi/choice.hpp"
#include "pmpi/clock.hpp"
#include "pmpi/context.hpp"
#include "pmpi/init_calls.hpp"
#include "pmpi/launch.hpp"
#include "pmpi/real.hpp"
#include "pmpi/thread_state.hpp"
#include "pmpi/threads/libc_calls.hpp"
#include "pmpi/threads/own_thread.hpp"
#include "pmpi/user_definitions.hpp"
#include "trace/model/level_rules.hpp"

namespace meridian {

// MPI's calls alone: what else a program does is passed through until its first MPI call.
constinit std::uint8_t g_enabled[kCallCount] = {
    1,
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) 1,
#include "trace/model/mpi_calls.def"
};
Session g_session;

void say(const char* format, ...) noexcept {
  char line[kPathBytes + 512];
  va_list args;
  va_start(args, format);
  int length = snprintf(line, sizeof line, "meridian: ");
  length += vsnprintf(line + length, sizeof line - static_cast<std::size_t>(length) - 1, format, args);
  va_end(args);
  if (length > static_cast<int>(sizeof line) - 2) length = static_cast<int>(sizeof line) - 2;
  line[length] = '\n';
  const ssize_t ignored = write(STDERR_FILENO, line, static_cast<std::size_t>(length) + 1);
  static_cast<void>(ignored);
}

void count_loss(Loss cause) noexcept {
  if (g_session.ring != nullptr)
    g_session.ring->losses[static_cast<std::size_t>(cause)].fetch_add(1, std::memory_order_relaxed);
}

void apply_levels(bool recording) noexcept {
  g_session.is_recording.store(recording);
  for (std::size_t i = 1; i < kCallCount; ++i) {
    const auto call = static_cast<CallId>(i);
    const std::uint8_t choice = choice_of(call, recording);
    const std::uint8_t level = choice == kCallOn    ? recording_level(call)
                               : choice == kCallOff ? left_out_level(call)
                                                    : choice;
    __atomic_store_n(&g_enabled[i], level, __ATOMIC_RELAXED);
  }
  apply_user_levels(recording && !is_outside_window());
}

bool is_defining() noexcept { return g_session.state.load(std::memory_order_acquire) == SessionState::on; }

void stop_session(const char* why) noexcept {
  for (std::uint8_t& enabled : g_enabled) __atomic_store_n(&enabled, std::uint8_t{0}, __ATOMIC_RELAXED);
  close_user_gates();
  const SessionState before = g_session.state.exchange(SessionState::off, std::memory_order_acq_rel);
  if (why != nullptr && before != SessionState::off) say("%s; this run is not traced", why);
}

namespace {

void stop_in_forked_child() noexcept {
  stop_session(nullptr);
  t_state = ThreadState{};  // the rings are not mapped here
  t_own = OwnThread{};
  g_session.ring = nullptr;
}

bool refuse(Refusal refusal, const char* why) noexcept {
  g_session.refusal = refusal;
  stop_session(why);
  return false;
}

/// False: not now (there is no MPI in this process yet), or stop_session() was called.
bool try_start() noexcept {
  if (!find_mpi()) return false;
  // A program with rights that its user lacks reads no options of that user, and writes no files for them.
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
    say("the processor's counter is no safe clock on this machine; using monotonic_raw");
  if (!create_ring()) return refuse(Refusal::no_ring, nullptr);
  g_session.pid = getpid();
  prepare_selection();
  prepare_threads();
  pthread_atfork(nullptr, nullptr, &stop_in_forked_child);
  apply_levels(g_session.options.is_on(OptionId::enabled));
  g_session.ring->run_state.store(RunState::running, std::memory_order_release);
  return true;
}

std::atomic<long> g_starting_thread{0};

/// Another thread is starting the session: calls made meanwhile must not get lost, nor go on before MPI's functions
/// have been found. Bounded, because that thread may need a lock that this one holds (a constructor in dlopen).
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
  const BusyThread busy;  // hooks of the MPI library see what memory we map
  SessionState expected = SessionState::idle;
  if (!g_session.state.compare_exchange_strong(expected, SessionState::starting, std::memory_order_acq_rel))
    return expected == SessionState::starting ? wait_for_start() : expected == SessionState::on;
  g_starting_thread.store(syscall(SYS_gettid), std::memory_order_relaxed);
  const bool started = try_start();
  g_starting_thread.store(0, std::memory_order_relaxed);
  // Without MPI: asked again at the next call, for MPI may be loaded later.
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
    if (&slot != t_state.slot && slot.state.load(std::memory_order_acquire) == SlotState::active) return true;
  }
  return false;
}

/// The end of the process as the C library sees it: what came after MPI_Finalize, or instead of it, is still written.
[[gnu::destructor]] void end_session() noexcept {
  if (g_session.state.load(std::memory_order_acquire) != SessionState::on || g_session.pid != getpid()) return;
  const bool is_abandoned = g_session.ring->output_dir[0] == '\0';
  if (!is_abandoned && has_unwritten_records()) store_usage_of_all();
  // The others go on until the kernel ends them, and so does their recording: the writer sees the process go.
  if (!is_abandoned && g_session.writer_started.load(std::memory_order_acquire) && has_other_threads()) {
    wake_writer();
    return;
  }
  stop_session(nullptr);
  t_state.all_counters = nullptr;  // they end with the process; PAPI may have left already
  release_thread();
  end_thread();
  RingFileHeader& ring = *g_session.ring;
  ring.run_state.store(RunState::ended, std::memory_order_release);
  if (!g_session.writer_started.load(std::memory_order_acquire)) {
    if (ring.output_dir[0] == '\0') unlink(g_session.ring_path);  // MPI was never started: nothing worth keeping
    return;
  }
  // After MPI_Abort the exit code is the launcher's race to lose: the writer finishes alone.
  if (has_unwritten_records() && !g_session.is_aborting.load(std::memory_order_acquire)) {
    request_rank_file();
  } else {
    wake_writer();
  }
}

}  // namespace
}  // namespace meridian
