#include "pmpi/clock_exchange.hpp"
#include "pmpi/comms.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include "pmpi/clock.hpp"
#include "pmpi/emit.hpp"
#include "pmpi/flavor.hpp"
#include "pmpi/real.hpp"
#include "pmpi/session.hpp"

namespace meridian {
namespace {

constexpr int kMostExchanges = 100;
/// Exchanges in a row that may improve neither direction before a pair is done.
constexpr int kIdleExchanges = 25;
constexpr int kTag = 1;

struct Ping {
  std::uint64_t received_ticks;  ///< of the answer
  std::uint64_t replied_ticks;
  std::uint64_t is_last;  ///< of the question: the partner need not wait for another one
};

struct Exchanger {
  MPI_Comm comm{};
  bool is_on = false;  ///< there are several clock domains
  int rank = 0;
  int leader_count = 0;
  int* leaders = nullptr;  ///< world ranks, [0] is rank 0
};
constinit Exchanger g_exchanger;

class Deadline {
 public:
  explicit Deadline(std::int64_t seconds) noexcept : end_s_{now_s() + seconds} {}
  bool is_over() const noexcept { return now_s() > end_s_; }

 private:
  static std::int64_t now_s() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
  }
  std::int64_t end_s_;
};

/// Waits for `request`, at most until the deadline; a request that is given up is cancelled.
bool complete(MPI_Request& request, const Deadline& deadline) noexcept {
  int done = 0;
  for (unsigned round = 1;; ++round) {
    if (g_real.Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    if (round % 64 == 0) {
      sched_yield();  // the partner may share this core
      if (deadline.is_over()) break;
    }
  }
  g_real.Cancel(&request);
  g_real.Request_free(&request);
  return false;
}

bool send(const Ping& ping, int peer, const Deadline& deadline) noexcept {
  MPI_Request request = g_mpi.request_null;
  return g_real.Isend(&ping, sizeof ping, g_mpi.byte, peer, kTag, g_exchanger.comm, &request) == MPI_SUCCESS &&
         complete(request, deadline);
}

bool receive(Ping& ping, int peer, const Deadline& deadline) noexcept {
  MPI_Request request = g_mpi.request_null;
  return g_real.Irecv(&ping, sizeof ping, g_mpi.byte, peer, kTag, g_exchanger.comm, &request) == MPI_SUCCESS &&
         complete(request, deadline);
}

/// Rank 0's side of a pair.
bool ask(int peer, AnchorPhase phase, const Deadline& deadline) noexcept {
  std::int64_t best_out = INT64_MAX;
  std::int64_t best_back = INT64_MAX;
  int idle = 0;
  for (int i = 0; i < kMostExchanges; ++i) {
    Ping question{0, 0, idle + 1 >= kIdleExchanges || i + 1 == kMostExchanges};
    Ping answer{};
    const std::uint64_t sent = read_ticks();
    if (!send(question, peer, deadline) || !receive(answer, peer, deadline)) return false;
    const std::uint64_t returned = read_ticks_after_loads();
    emit(Payload::exchange, words_of<RecordHead> + words_of<Exchange>, sent, returned, [&](std::uint64_t* body) {
      *reinterpret_cast<Exchange*>(body) = {peer, static_cast<std::uint32_t>(phase), answer.received_ticks,
                                            answer.replied_ticks};
    });
    const auto out = static_cast<std::int64_t>(answer.received_ticks - sent);
    const auto back = static_cast<std::int64_t>(returned - answer.replied_ticks);
    idle = out < best_out || back < best_back ? 0 : idle + 1;
    if (out < best_out) best_out = out;
    if (back < best_back) best_back = back;
    if (question.is_last != 0) break;
  }
  return true;
}

/// The partner's side.
bool answer(int asker, const Deadline& deadline) noexcept {
  for (;;) {
    Ping ping{};
    if (!receive(ping, asker, deadline)) return false;
    const std::uint64_t received = read_ticks_after_loads();
    const bool is_last = ping.is_last != 0;
    ping = {received, read_ticks(), 0};
    if (!send(ping, asker, deadline)) return false;
    if (is_last) return true;
  }
}

bool exchange_all(AnchorPhase phase, const Deadline& deadline) noexcept {
  const std::uint64_t begin = read_ticks();
  bool is_good = true;
  if (g_exchanger.rank == 0) {
    for (int i = 1; is_good && i < g_exchanger.leader_count; ++i)
      is_good = ask(g_exchanger.leaders[i], phase, deadline);
  } else {
    for (int i = 1; i < g_exchanger.leader_count; ++i)
      if (g_exchanger.leaders[i] == g_exchanger.rank) is_good = answer(0, deadline);
  }
  emit_overhead(OverheadKind::clock_exchange, begin, 1);
  return is_good;
}

/// The first rank of every domain, from all ranks' domains; kept for the end of the run.
void find_leaders(const std::uint64_t* domains, int size, int* leaders) noexcept {
  int count = 0;
  for (int rank = 0; rank < size; ++rank) {
    bool is_new = true;
    for (int i = 0; i < count && is_new; ++i) is_new = domains[leaders[i]] != domains[rank];
    if (is_new) leaders[count++] = rank;
  }
  g_exchanger.leaders = leaders;
  g_exchanger.leader_count = count;
}

}  // namespace

void start_clock_exchange(int rank, int size) noexcept {
  const auto ranks = static_cast<std::size_t>(size);
  const std::size_t bytes = ranks * (sizeof(std::uint64_t) + sizeof(int));
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;  // every rank of this size fails alike or the others' exchange times out
  auto* const domains = static_cast<std::uint64_t*>(memory);
  const std::uint64_t mine = g_session.ring->domain;
  g_real.Allgather(&mine, sizeof mine, g_mpi.byte, domains, sizeof mine, g_mpi.byte, g_all_ranks);
  g_exchanger.rank = rank;
  find_leaders(domains, size, reinterpret_cast<int*>(domains + ranks));
  if (g_exchanger.leader_count < 2) return;
  if (g_real.Comm_dup(g_all_ranks, &g_exchanger.comm) != MPI_SUCCESS) return;
  g_real.Comm_set_errhandler(g_exchanger.comm, g_mpi.errors_return);
  g_exchanger.is_on = exchange_all(AnchorPhase::start, Deadline{60});
}

void finish_clock_exchange() noexcept {
  if (!g_exchanger.is_on) return;
  g_exchanger.is_on = false;
  // Ranks arrive here at different times; the wait for the last is the one that MPI_Finalize itself would make.
  const std::uint64_t begin = read_ticks();
  const Deadline deadline{g_session.options.number(OptionId::finalize_timeout)};
  MPI_Request request = g_mpi.request_null;
  const bool arrived = g_real.Ibarrier(g_exchanger.comm, &request) == MPI_SUCCESS && complete(request, deadline);
  emit_overhead(OverheadKind::clock_exchange, begin, 0);
  if (arrived && exchange_all(AnchorPhase::finish, deadline)) g_real.Comm_free(&g_exchanger.comm);
}

}  // namespace meridian
