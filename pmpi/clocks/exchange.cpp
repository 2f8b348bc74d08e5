// SPDX-License-Identifier: Apache-2.0
#include "pmpi/clocks/exchange.hpp"

#include <sys/mman.h>

#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {
namespace {

/// Largest number of domains that all exchange with the first one: at start and end, and during the run, where they
/// delay others.
constexpr int kMostStar = 64;
constexpr int kMostStarEpochs = 8;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStartPatienceNs = 60 * kSecond;
/// Once a pair has taken this long, a few exchanges are enough. With many hosts, rounds follow each other, and start
/// and end of 1024 hosts must not take more than some 10 ms in total.
constexpr std::int64_t kStartEnoughNs = kSecond / 10;
constexpr std::int64_t kEnoughOfManyNs = kSecond / 2500;

struct Exchanger {
  MPI_Comm comm{};
  bool is_on = false;  ///< there are several clock domains
  std::int64_t enough_ns = kStartEnoughNs;
  EpochGrid grid;
  PingTable ends{.tag = 1};  ///< start and end; empty: this rank is not the first of its domain
  PingTable epochs{.tag = 2};
};
constinit Exchanger g_exchanger;

std::int64_t epoch_period_ns() noexcept {
  const std::int64_t period_ms = clock_test().period_ms;
  return period_ms != 0 ? period_ms * 1'000'000 : g_session.options.number(OptionId::clock_period) * kSecond;
}

bool exchange_all(AnchorPhase phase, std::int64_t end_ns) noexcept {
  const std::uint64_t begin = read_ticks();
  bool is_good = true;
  PingTable& ends = g_exchanger.ends;
  for (int i = 0; i < ends.count; ++i)
    is_good &= meet(ends, ends.pairs[i], {.phase = phase, .enough_ns = g_exchanger.enough_ns, .end_ns = end_ns},
                    g_exchanger.grid);
  emit_overhead(OverheadKind::clock_exchange, begin, 1);
  return is_good;
}

/// A peer's clock, as all peers are told it.
struct Clock {
  std::uint64_t domain = 0;  ///< 0: does not record
  std::uint64_t world_rank = 0;
};

/// Writes the first peer of every domain to `leaders`; returns their number.
int find_leaders(const Clock* clocks, int size, PingPeer* leaders) noexcept {
  int count = 0;
  for (int rank = 0; rank < size; ++rank) {
    bool is_new = clocks[rank].domain != 0;
    for (int i = 0; i < count && is_new; ++i) is_new = clocks[leaders[i].rank].domain != clocks[rank].domain;
    if (is_new) leaders[count++] = {rank, static_cast<int>(clocks[rank].world_rank)};
  }
  return count;
}

void start_between(const TracedPeers& peers, const PingPeer* leaders, int count) noexcept {
  if (g_real.Comm_dup(peers.comm, &g_exchanger.comm) != MPI_SUCCESS) return;
  g_real.Comm_set_errhandler(g_exchanger.comm, g_mpi.errors_return);
  g_exchanger.is_on = true;
  g_exchanger.grid = {epoch_period_ns(), monotonic_now_ns()};
  const int most_star = clock_test().is_large ? 1 : kMostStar;
  if (count > most_star) g_exchanger.enough_ns = kEnoughOfManyNs;
  PingTable& epochs = g_exchanger.epochs;
  g_exchanger.ends.comm = epochs.comm = g_exchanger.comm;
  for (int domain = 0; domain < count; ++domain) {
    if (leaders[domain].rank != peers.rank) continue;
    if (!make_pairs(g_exchanger.ends, domain, leaders, count, most_star)) return;
    if (!make_pairs(epochs, domain, leaders, count, clock_test().is_large ? 1 : kMostStarEpochs)) epochs.count = 0;
  }
  exchange_all(AnchorPhase::start, monotonic_now_ns() + kStartPatienceNs);
  start_epochs(epochs, g_exchanger.grid, peers.world_size);
}

}  // namespace

void start_clock_exchange(const TracedPeers& peers, std::uint64_t domain) noexcept {
  const auto ranks = static_cast<std::size_t>(peers.size);
  const std::size_t bytes = ranks * (sizeof(Clock) + sizeof(PingPeer));
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Minimum and maximum of the domains, and whether every rank has the memory.
  const std::uint64_t range[3] = {domain != 0 ? domain : UINT64_MAX, ~domain, memory != MAP_FAILED};
  std::uint64_t all[3] = {};
  g_real.Allreduce(range, all, 3, g_mpi.uint64, g_mpi.min, peers.comm);
  if (all[0] == ~all[1] || all[2] == 0) {
    if (memory != MAP_FAILED) munmap(memory, bytes);
    return;
  }
  auto* const clocks = static_cast<Clock*>(memory);
  const Clock mine{domain, static_cast<std::uint64_t>(peers.world_rank)};
  g_real.Allgather(&mine, sizeof mine, g_mpi.byte, clocks, sizeof mine, g_mpi.byte, peers.comm);
  auto* const leaders = reinterpret_cast<PingPeer*>(clocks + ranks);
  const int count = find_leaders(clocks, peers.size, leaders);
  if (count > 1) start_between(peers, leaders, count);
  munmap(memory, bytes);
}

void finish_clock_exchange() noexcept {
  stop_epochs();
  if (!g_exchanger.is_on) return;
  g_exchanger.is_on = false;
  // Ranks arrive here at different times; MPI_Finalize itself would also wait for the last one.
  const std::uint64_t begin = read_ticks();
  const std::int64_t end_ns = monotonic_now_ns() + g_session.options.number(OptionId::finalize_timeout) * kSecond;
  MPI_Request request = g_mpi.request_null;
  const bool arrived = g_real.Ibarrier(g_exchanger.comm, &request) == MPI_SUCCESS && complete(request, end_ns);
  const bool is_good = arrived && say_goodbye(g_exchanger.epochs, end_ns);
  emit_overhead(OverheadKind::clock_exchange, begin, 0);
  if (arrived && exchange_all(AnchorPhase::finish, end_ns) && is_good) g_real.Comm_free(&g_exchanger.comm);
}

}  // namespace meridian
