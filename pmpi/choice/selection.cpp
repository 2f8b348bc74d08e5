// SPDX-License-Identifier: Apache-2.0
// Selection of single calls of recorded functions: by communicator, size and time of the call.

#include <mpi.h>

#include "pmpi/choice/choice.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/producer.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {
namespace {

struct Selection {
  Range comm;
  Range message;
  Range window;              ///< ns since the end of MPI_Init
  std::int64_t init_ns = 0;  ///< CLOCK_MONOTONIC at the end of MPI_Init
  std::int64_t min_ns = 0;
  ClockAnchor start;  ///< for the rate of the ticks
};
Selection g_selection;
std::atomic<double> g_ticks_per_ns{0};  ///< 0: unknown

/// State of the time window: none was requested, or the position of the clock.
enum class Window : std::uint8_t { none, waiting, open, over };
std::atomic<Window> g_window{Window::none};
std::atomic<bool> g_is_full{false};  ///< MERIDIAN_MAX_SIZE

/// The kind of a call for the selection.
enum class Kind : std::uint8_t {
  kept,     ///< needed by others or by later calls
  sent,     ///< one message, whose size is known before the call
  receive,  ///< blocking: the size is known after the call
  rma,
  local,  ///< not needed by others
  probe,
  test,  ///< not needed by others if it found nothing
};

bool is_one_of(std::string_view name, std::string_view words) noexcept {
  if (name.size() > 2 && name[name.size() - 2] == '_' && name.back() == 'c') name.remove_suffix(2);
  return has_word(words, name);
}

Kind kind_of(const CallInfo& call) noexcept {
  if (is_one_of(call.name,
                "MPI_Init MPI_Init_thread MPI_Finalize MPI_Abort MPI_Pcontrol MPI_Session_init MPI_Session_finalize"))
    return Kind::kept;
  if (is_one_of(call.name, "MPI_Send MPI_Bsend MPI_Ssend MPI_Rsend MPI_Isend MPI_Ibsend MPI_Issend MPI_Irsend"))
    return Kind::sent;
  if (is_one_of(call.name, "MPI_Recv")) return Kind::receive;
  if (is_one_of(call.name, "MPI_Probe MPI_Iprobe")) return Kind::probe;
  if (is_one_of(call.name, "MPI_Test MPI_Testall MPI_Testany MPI_Testsome MPI_Improbe MPI_Request_get_status"))
    return Kind::test;
  return call.group == CallGroup::rma ? Kind::rma : Kind::local;  // unless their records have other data
}

Kind g_kinds[kMpiCallCount + 1];  ///< [CallId]

/// Whether the call was shorter than the option requires. No call is short until the rate of the clock is known.
bool is_short(std::uint64_t ticks) noexcept {
  constexpr std::int64_t kLongEnoughNs = 1'000'000;
  if (g_selection.min_ns == 0) return false;
  double rate = g_ticks_per_ns.load(std::memory_order_relaxed);
  if (rate == 0) {
    const ClockAnchor now = read_anchor();
    const std::int64_t passed_ns = now.monotonic_ns - g_selection.start.monotonic_ns;
    if (passed_ns < kLongEnoughNs) return false;
    rate = static_cast<double>(now.before_ticks - g_selection.start.before_ticks) / static_cast<double>(passed_ns);
    g_ticks_per_ns.store(rate, std::memory_order_relaxed);
  }
  return static_cast<double>(ticks) < static_cast<double>(g_selection.min_ns) * rate;
}

Payload payload_of(const std::uint64_t* at) noexcept { return static_cast<Payload>(at[0] >> 16 & 0xff); }

std::int64_t ranks_of(MPI_Comm comm) noexcept {
  int size = 0;
  int is_inter = 0;
  int others = 0;
  g_real.Comm_size(comm, &size);
  g_real.Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) g_real.Comm_remote_size(comm, &others);
  return std::int64_t{size} + others;
}

/// Bytes of the one message or transfer in the record; negative: none, or unknown.
std::int64_t bytes_of(Kind kind, const std::uint64_t* at, std::uint64_t completions) noexcept {
  const std::uint64_t* const body = at + words_of<RecordHead>;
  const auto& p2p = *reinterpret_cast<const PointToPoint*>(body);
  if (kind == Kind::sent && payload_of(at) == Payload::p2p) return p2p.count * std::int64_t{p2p.type_size};
  if (kind == Kind::receive && payload_of(at) == Payload::p2p && completions != 0)
    return reinterpret_cast<const Completion*>(body + words_of<PointToPoint>)->bytes;
  if (kind == Kind::rma && payload_of(at) == Payload::rma)
    return static_cast<std::int64_t>(reinterpret_cast<const Rma*>(body)->bytes);
  return -1;
}

/// Whether neither matching nor a later call needs the record.
bool is_spare(Kind kind, const std::uint64_t* at, std::uint64_t completions) noexcept {
  if (kind == Kind::probe) return true;
  if (kind == Kind::test) return completions == 0;
  return kind == Kind::local && (payload_of(at) == Payload::local || payload_of(at) == Payload::io);
}

}  // namespace

void prepare_selection() noexcept {
  for (std::size_t i = 1; i <= kMpiCallCount; ++i) g_kinds[i] = kind_of(kCalls[i]);
  const OptionValues& options = g_session.options;
  g_selection.comm = options.range(OptionId::comm);
  g_selection.message = options.range(OptionId::message);
  g_selection.min_ns = options.number(OptionId::min_duration);
  if (g_selection.min_ns != 0) g_selection.start = read_anchor();
}

bool is_selective(CallId id) noexcept {
  const CallGroup group = info(id).group;
  if (!is_mpi(id)) return false;
  const Window window = g_window.load(std::memory_order_relaxed);
  if (window == Window::waiting || window == Window::open || g_selection.min_ns != 0) return true;
  if (!g_selection.comm.is_everything() && (group == CallGroup::p2p || group == CallGroup::coll)) return true;
  return !g_selection.message.is_everything() && (group == CallGroup::p2p || group == CallGroup::rma);
}

bool is_kept(CallId id, const std::uint64_t* at, std::uint64_t completions, const void* comm) noexcept {
  const Kind kind = g_kinds[static_cast<std::size_t>(id)];
  const bool has_comm = comm != nullptr && !g_selection.comm.is_everything();
  bool is_unwanted = has_comm && !g_selection.comm.has(ranks_of(*static_cast<const MPI_Comm*>(comm)));
  if (!is_unwanted && !g_selection.message.is_everything()) {
    const std::int64_t bytes = bytes_of(kind, at, completions);
    is_unwanted = bytes >= 0 && !g_selection.message.has(bytes);
  }
  if (!is_unwanted) is_unwanted = is_spare(kind, at, completions) && is_short(at[2] - at[1]);
  if (is_unwanted) uncount_towards_limit(id);
  return !is_unwanted;
}

void start_window() noexcept {
  const Range wanted = g_session.options.range(OptionId::window);
  if (wanted.is_everything()) return;
  g_selection.window = wanted;
  g_selection.init_ns = monotonic_now_ns();
  g_window.store(wanted.from == 0 ? Window::open : Window::waiting, std::memory_order_release);
  apply_levels(g_session.is_recording.load());
}

bool is_outside_window() noexcept {
  const Window window = g_window.load(std::memory_order_relaxed);
  return window == Window::waiting || is_over();
}

bool is_full() noexcept { return g_is_full.load(std::memory_order_relaxed); }

bool is_over() noexcept { return is_full() || g_window.load(std::memory_order_relaxed) == Window::over; }

void end_recording() noexcept {
  g_is_full.store(true, std::memory_order_relaxed);
  apply_levels(g_session.is_recording.load());
  const std::string_view limit = g_session.options[OptionId::max_size].text;
  emit_text(kFullKey, limit.data(), limit.size(), 0);
  store_recording(false);
}

bool look_at_window() noexcept {
  Window window = g_window.load(std::memory_order_acquire);
  if (window != Window::waiting && window != Window::open) return window == Window::none;
  const std::int64_t now = monotonic_now_ns() - g_selection.init_ns;
  const Window next = now > g_selection.window.to      ? Window::over
                      : now >= g_selection.window.from ? Window::open
                                                       : Window::waiting;
  if (next != window && g_window.compare_exchange_strong(window, next, std::memory_order_acq_rel)) {
    apply_levels(g_session.is_recording.load());
    note_outside_switch();
    store_recording(false);
  }
  return next == Window::open;
}

}  // namespace meridian
