// SPDX-License-Identifier: Apache-2.0
// MPI_Init*, MPI_Finalize and the other calls that begin and end tracing. Cold but for the traced call itself.

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmpi/calls/comms.hpp"
#include "pmpi/calls/record.hpp"
#include "pmpi/calls/spawn.hpp"
#include "pmpi/calls/traced.hpp"
#include "pmpi/choice/choice.hpp"
#include "pmpi/clocks/exchange.hpp"
#include "pmpi/libraries/library_objects.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/process/traced_ranks.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/rings/usage.hpp"
#include "pmpi/rings/writer_process.hpp"
#include "pmpi/samples/signal_samples.hpp"
#include "pmpi/session/calibration.hpp"
#include "pmpi/session/context.hpp"
#include "pmpi/session/directory.hpp"
#include "pmpi/session/farewell.hpp"
#include "pmpi/session/init_calls.hpp"
#include "pmpi/session/peers.hpp"
#include "pmpi/session/unseen.hpp"
#include "pmpi/session/unwrapped.hpp"
#include "pmpi/stacks/modules.hpp"
#include "pmpi/stacks/python.hpp"
#include "pmpi/user/events.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace meridian {
namespace {

bool is_tracing() noexcept {
  return *g_is_same_process != 0 && g_session.state.load(std::memory_order_acquire) == SessionState::on;
}

std::uint64_t stored_bytes() noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < g_session.ring->slot_count; ++i)
    sum += g_session.slots[i].head.load(std::memory_order_relaxed);
  return sum;
}

/// Whether the other ranks expect this one to take part: it is traced, or was to be.
bool takes_part() noexcept { return is_tracing() || g_session.refusal != Refusal::none; }

void say_that_none_is_chosen() noexcept {
  const std::string_view wanted = g_session.options[OptionId::ranks].text;
  say("MERIDIAN_RANKS=%.*s names no rank of this program; nothing is recorded", static_cast<int>(wanted.size()),
      wanted.data());
}

/// After MPI_Init: this rank does not record.
void give_up(const Agreement& agreement, const TracedPeers& peers) noexcept {
  if (is_tracing()) {
    g_session.ring->run_state.store(RunState::ended, std::memory_order_release);
    unlink(g_session.ring_path);
    wake_writer();
    g_session.refusal = Refusal::no_ring;
  }
  if (agreement.is_refused) {
    stop_session(nullptr);
    if (peers.rank == 0) say("MERIDIAN_STRICT is set and there is no place for the trace; the program is not run");
  } else {
    const bool may_speak = peers.rank == 0 && !agreement.has_directory;
    if (may_speak && g_session.refusal == Refusal::filtered) say_that_none_is_chosen();
    stop_session(may_speak ? "there is no place for the trace" : nullptr);
  }
}

/// Before MPI_Init: the other ranks will not expect this one.
void withdraw() noexcept {
  if (is_tracing()) {
    g_session.ring->run_state.store(RunState::ended, std::memory_order_release);
    unlink(g_session.ring_path);
    wake_writer();
  }
  g_session.refusal = Refusal::none;
  stop_session("this rank cannot make itself known to the other ranks (no socket, or its name is taken)");
}

/// MPI is to be initialised, but is not in this process. The call reports it to programs that only have the tracer
/// preloaded.
void refuse_without_mpi() noexcept {
  say("there is no MPI library in this process: link the program with MPI, too, behind -Wl,--no-as-needed");
  const char* const preloaded = getenv("LD_PRELOAD");
  if (preloaded == nullptr || strstr(preloaded, "libmeridian") == nullptr) exit(EXIT_FAILURE);
}

}  // namespace

void before_init() noexcept {
  if (is_inside_call()) return;
  SessionState state = g_session.state.load(std::memory_order_acquire);
  if (state == SessionState::idle) start_session();
  state = g_session.state.load(std::memory_order_acquire);
  if (state == SessionState::idle) refuse_without_mpi();
  if (takes_part() && !join_census()) withdraw();
  if (!is_tracing()) return;
  start_python();
  if (!g_session.writer_started.load(std::memory_order_acquire)) start_writer();
  permit_python();
}

void after_init() noexcept {
  const BusyThread busy;  // MPI calls made for the tracer are not the program's
  if (is_inside_call() || !takes_part()) return;
  if (g_session.is_initialized.exchange(true)) return;
  const std::uint64_t begin = read_ticks();
  const bool has_world = g_all_ranks == MPI_Comm{};
  if (has_world) g_all_ranks = g_mpi.world;
  const TracedPeers peers = find_peers(g_all_ranks);
  if (peers.comm == g_mpi.comm_null) {
    leave_census();
    stop_session("MPI made no communicator for the ranks that have the tracer");
    return;
  }
  const Agreement agreement = agree_on_directory(peers);
  leave_census();  // all peers have taken it
  if (!agreement.is_recording || agreement.is_refused) give_up(agreement, peers);
  if (agreement.is_refused) g_real.Abort(g_all_ranks, EXIT_FAILURE);
  if (!agreement.is_recording) {
    if (agreement.has_directory) start_clock_exchange(peers, 0);
    return;
  }
  g_session.is_first = agreement.is_first;
  RingFileHeader& ring = *g_session.ring;
  ring.world_size.store(peers.world_size, std::memory_order_release);
  ring.world_rank.store(peers.world_rank, std::memory_order_release);
  wake_writer();
  if (has_world) {
    store_predefined_comms();
    store_parent_comm();
  }
  emit_anchor(AnchorPhase::start);
  start_window();
  store_context();
  store_traced_ranks();
  store_modules();
  store_python();
  store_unseen_calls(agreement.is_first);
  find_library_objects();
  store_unwrapped_calls(LookAt::start);
  calibrate_recording();
  emit_overhead(OverheadKind::start, begin, 1);
  start_clock_exchange(peers, ring.domain);
  begin_signal_samples();
  if (has_world) tell_wrong_launcher(peers.world_size);
  if (agreement.is_first && g_session.options.is_on(OptionId::verbose)) say("recording to '%s'", ring.output_dir);
}

void before_finalize() noexcept {
  const BusyThread busy;  // MPI calls made for the tracer are not the program's
  if (is_inside_call() || !takes_part() || !g_session.is_initialized.load()) return;
  if (g_session.is_finalizing.exchange(true)) return;
  if (is_tracing()) store_process_usage(UsageKind::process_end);
  if (is_tracing()) store_modules();  // modules that were loaded since then
  finish_clock_exchange();
  if (!is_tracing()) return;
  store_unwrapped_calls(LookAt::end);
  emit_anchor(AnchorPhase::finish);
}

void after_finalize() noexcept {
  const BusyThread busy;  // MPI calls made for the tracer are not the program's
  if (is_inside_call() || !is_tracing() || !g_session.is_initialized.load()) return;
  if (g_session.is_finalized.exchange(true)) return;
  const std::uint64_t begin = read_ticks();
  RingFileHeader& ring = *g_session.ring;
  end_signal_samples();
  store_usage_of_all();
  store_binding();
  emit_anchor(AnchorPhase::finish);
  emit_overhead(OverheadKind::finish, begin, 1);
  ring.run_state.store(RunState::finalized, std::memory_order_release);
  g_session.finished_bytes = stored_bytes();
  request_rank_file();
  tell_trace();
}

void after_hidden_finalize() noexcept {
  int is_finalized = 0;
  if (!g_session.is_finalizing.load() || g_session.is_finalized.load()) return;
  if (g_real.Finalized(&is_finalized) == MPI_SUCCESS && is_finalized != 0) after_finalize();
}

void before_abort() noexcept {
  if (g_session.is_aborting.exchange(true, std::memory_order_acq_rel)) return;
  if (!is_inside_call() && is_tracing() && g_session.is_initialized.load()) tell_trace();
}

bool has_unwritten_records() noexcept { return stored_bytes() != g_session.finished_bytes; }

MERIDIAN_EXPORT int MPI_Init(int* argc, char*** argv) {
  before_init();
  const int result = traced<CallId::Init>(record::Local(), [&] {
    const BusyThread busy;  // even if the call is not recorded, its lock uses are not the program's
    return g_next.Init(argc, argv);
  });
  if (result == MPI_SUCCESS) after_init();
  return result;
}

MERIDIAN_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  before_init();
  const int result = traced<CallId::Init_thread>(record::Local(), [&] {
    const BusyThread busy;
    return g_next.Init_thread(argc, argv, required, provided);
  });
  if (result == MPI_SUCCESS) after_init();
  return result;
}

namespace {

/// Behaves like a traced call even if MPI_Finalize is not recorded: MPICH calls MPI functions in it, which are not the
/// program's.
[[gnu::noinline]] int finalize_library() noexcept(false) {
  ThreadState& thread = t_state;
  const bool is_outside = thread.block_limit != nullptr && thread.limit != nullptr;
  if (is_outside) enter_call(thread, __builtin_frame_address(0));
  const BusyThread busy;
  t_own.is_finalizing = true;
  const int result = g_next.Finalize();
  t_own.is_finalizing = false;
  if (is_outside) thread.limit = thread.block_limit;
  return result;
}

}  // namespace

MERIDIAN_EXPORT int MPI_Finalize() {
  before_finalize();
  const int result = traced<CallId::Finalize>(record::Local(), [] { return finalize_library(); });
  after_finalize();
  return result;
}

MERIDIAN_EXPORT int MPI_Abort(MPI_Comm comm, int errorcode) {
  before_abort();
  return traced<CallId::Abort>(record::Local(), [&] { return g_next.Abort(comm, errorcode); });
}

namespace {

/// MPI_Pcontrol(3, "name") begins a region, MPI_Pcontrol(-3, "name") ends it.
constexpr int kRegionLevel = 3;

/// The name at `address`. A missing argument can be any address: the kernel reports whether it can be read.
std::string_view name_at(const char* address) noexcept {
  constexpr std::size_t kMostBytes = 255;
  const int saved_errno = errno;
  const bool is_readable = address != nullptr && (access(address, F_OK) == 0 || errno != EFAULT);
  errno = saved_errno;
  const std::size_t length = is_readable ? strnlen(address, kMostBytes + 1) : 0;
  for (std::size_t i = 0; i < length; ++i)
    if (static_cast<unsigned char>(address[i]) < ' ') return {};
  return length <= kMostBytes ? std::string_view{address, length} : std::string_view{};
}

}  // namespace

MERIDIAN_EXPORT int MPI_Pcontrol(const int level, ...) {
  // Switches on before the call and off after it: both switches are events.
  const bool applies = is_tracing() && !is_inside_call();
  std::string_view name;
  // Another tool may read further arguments, which are in registers. Those that were not given are never read.
  const char* words[5];
  va_list arguments;
  va_start(arguments, level);
  for (const char*& word : words) word = va_arg(arguments, const char*);
  va_end(arguments);
  if (applies && (level == kRegionLevel || level == -kRegionLevel)) name = name_at(words[0]);
  if (applies && (level == 1 || level == 2)) switch_recording(true);
  const int result = traced<CallId::Pcontrol>(
      record::Local(), [&] { return g_next.Pcontrol(level, words[0], words[1], words[2], words[3], words[4]); });
  if (!name.empty()) record_named_region(name, level > 0 ? MERIDIAN_BEGINS : MERIDIAN_ENDS);
  if (applies && level == 0) switch_recording(false);
  if (applies && level == 2) wake_writer();
  return result;
}

MERIDIAN_IF(
    MERIDIAN_HAS_Session_init,
    MERIDIAN_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
      before_init();
      const int result = traced<CallId::Session_init>(record::Local(), [&] {
        const BusyThread busy;
        return g_next.Session_init(info, errhandler, session);
      });
      if (result == MPI_SUCCESS && is_tracing() && !is_inside_call()) begin_session(*session, &after_init);
      return result;
    })
MERIDIAN_IF(
    MERIDIAN_HAS_Session_finalize, MERIDIAN_EXPORT int MPI_Session_finalize(MPI_Session* session) {
      const bool is_end = is_tracing() && !is_inside_call() && leave_session();
      if (is_end) before_finalize();
      const int result = traced<CallId::Session_finalize>(record::Local(), [&] {
        const BusyThread busy;
        return g_next.Session_finalize(session);
      });
      if (is_end) after_finalize();
      return result;
    })

}  // namespace meridian
