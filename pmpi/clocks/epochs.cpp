// SPDX-License-Identifier: Apache-2.0
#include "pmpi/clocks/epochs.hpp"

#include "pmpi/clocks/exchange.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/rings/emit.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {

constinit std::atomic<std::uint64_t> g_epoch_due_ticks[2]{UINT64_MAX, UINT64_MAX};

namespace {

constexpr int kMostTrips = 12;
constexpr int kIdleTrips = 4;
constexpr std::int64_t kEnoughNs = 2'000'000;
/// Longest wait for one message from a peer that is present.
constexpr std::int64_t kMoreNs = 8'000'000;

struct Epochs {
  PingTable table;
  EpochGrid* grid = nullptr;
  int size = 0;  ///< ranks of the world
  ClockAnchor start{};
  std::atomic<bool> is_busy{false};  ///< a thread is holding one
};
constinit Epochs g_epochs;

std::int64_t grace_ns(bool is_rooted) noexcept { return is_rooted ? g_epochs.grid->period_ns / 2 : 0; }

std::int64_t first_due_ns() noexcept {
  std::int64_t first = INT64_MAX;
  for (int i = 0; i < g_epochs.table.count; ++i) {
    const std::int64_t due = g_epochs.table.pairs[i].pace.due_ns;
    if (due < first) first = due;
  }
  return first;
}

/// The rate of the ticks is known only roughly at first: rather too early, and then checked again.
void set_due_ticks() noexcept {
  const std::uint64_t now = read_ticks();
  const std::int64_t monotonic_ns = monotonic_now_ns();
  const std::int64_t passed_ns = monotonic_ns - g_epochs.start.monotonic_ns;
  const double rate =
      passed_ns > 0 ? static_cast<double>(now - g_epochs.start.after_ticks) / static_cast<double>(passed_ns) : 0;
  constexpr double kNotLater = 0.99;
  const std::int64_t first_ns = first_due_ns();
  for (const bool is_rooted : {false, true}) {
    const std::int64_t left_ns = first_ns + grace_ns(is_rooted) - monotonic_ns;
    const auto left = left_ns > 0 ? static_cast<std::uint64_t>(rate * static_cast<double>(left_ns) * kNotLater) : 0;
    g_epoch_due_ticks[is_rooted ? 1 : 0].store(now + left, std::memory_order_relaxed);
  }
}

bool has_all_ranks(MPI_Comm comm) noexcept {
  int is_inter = 0;
  int size = 0;
  g_real.Comm_test_inter(comm, &is_inter);
  g_real.Comm_size(comm, &size);
  return is_inter == 0 && size == g_epochs.size;
}

/// Holds the exchange of one pair. True: it took place.
bool hold(PingPair& pair, std::int64_t now_ns) noexcept {
  const PingPlan plan{.phase = AnchorPhase::epoch,
                      .most = kMostTrips,
                      .idle = kIdleTrips,
                      .enough_ns = kEnoughNs,
                      .end_ns = now_ns + pair.pace.patience_ns(pair.round),
                      .more_ns = kMoreNs};
  const bool has_met = meet(g_epochs.table, pair, plan, *g_epochs.grid);
  const std::int64_t end_ns = monotonic_now_ns();
  if (has_met)
    pair.pace.met(*g_epochs.grid, end_ns);
  else
    pair.pace.missed(*g_epochs.grid, end_ns);
  return has_met;
}

}  // namespace

void start_epochs(const PingTable& table, EpochGrid& grid, int world_size) noexcept {
  if (grid.period_ns == 0 || table.count == 0) return;
  g_epochs.table = table;
  g_epochs.grid = &grid;
  g_epochs.size = world_size;
  g_epochs.start = read_anchor();
  for (int i = 0; i < table.count; ++i) table.pairs[i].pace.due_ns = grid.next_after(g_epochs.start.monotonic_ns, 1);
  set_due_ticks();
}

void stop_epochs() noexcept {
  g_epochs.table.count = 0;
  for (auto& due : g_epoch_due_ticks) due.store(UINT64_MAX, std::memory_order_relaxed);
}

void hold_epochs(MPI_Comm comm, bool is_rooted) noexcept {
  if (!has_all_ranks(comm) || g_epochs.is_busy.exchange(true, std::memory_order_acquire)) return;
  const BusyThread busy;  // MPI calls made for the tracer are not the program's
  const std::uint64_t begin = read_ticks();
  std::uint64_t meetings = 0;
  bool has_tried = false;
  for (int i = 0; i < g_epochs.table.count; ++i) {
    PingPair& pair = g_epochs.table.pairs[i];
    const std::int64_t now_ns = monotonic_now_ns();
    if (now_ns < pair.pace.due_ns + grace_ns(is_rooted)) continue;
    has_tried = true;
    if (hold(pair, now_ns)) ++meetings;
  }
  if (meetings > 0) emit_anchor(AnchorPhase::epoch);
  if (has_tried) emit_overhead(OverheadKind::clock_exchange, begin, meetings);
  if (g_epochs.table.count > 0) set_due_ticks();
  g_epochs.is_busy.store(false, std::memory_order_release);
}

}  // namespace meridian
