// SPDX-License-Identifier: Apache-2.0
#include "pmpi/clocks/pings.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <new>

#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/real.hpp"
#include "pmpi/process/clock.hpp"
#include "pmpi/rings/emit.hpp"
#include "trace/model/system_clock.hpp"

namespace meridian {
namespace {

constexpr int kFewest = 4;

/// One session of one pair.
class PingSession {
 public:
  PingSession(const PingTable& table, PingPair& pair, const PingPlan& plan, EpochGrid& grid) noexcept
      : table_{table}, pair_{pair}, plan_{plan}, grid_{grid}, end_ns_{plan.end_ns} {}

  bool ask() noexcept {
    std::int64_t best_out = INT64_MAX;
    std::int64_t best_back = INT64_MAX;
    std::uint32_t last_answer = 0;
    int idle = 0;
    const std::int64_t begin_ns = monotonic_now_ns();
    for (int i = 0; i < plan_.most; ++i) {
      const bool is_slow = i + 1 >= kFewest && monotonic_now_ns() - begin_ns > plan_.enough_ns;
      const bool is_last = is_slow || idle + 1 >= plan_.idle || i + 1 == plan_.most;
      Ping answer;
      std::uint64_t sent = 0;
      if (!post({0, 0, monotonic_now_ns() - grid_.origin_ns, ++pair_.number, last_answer, is_last, 0}, sent))
        return false;
      do {  // discards answers to questions of a failed session
        if (!receive(answer)) return false;
      } while (answer.question != pair_.number);
      const std::uint64_t returned = read_ticks_after_loads();
      last_answer = answer.answer;
      go_on(plan_.more_ns);
      emit(Payload::exchange, words_of<RecordHead> + words_of<Exchange>, sent, returned, [&](std::uint64_t* body) {
        *reinterpret_cast<Exchange*>(body) = {pair_.peer.world_rank, static_cast<std::uint32_t>(plan_.phase),
                                              answer.received_ticks, answer.replied_ticks};
      });
      const auto out = static_cast<std::int64_t>(answer.received_ticks - sent);
      const auto back = static_cast<std::int64_t>(returned - answer.replied_ticks);
      idle = out < best_out || back < best_back ? 0 : idle + 1;
      if (out < best_out) best_out = out;
      if (back < best_back) best_back = back;
      if (is_last) break;
    }
    return true;
  }

  bool send_goodbye() noexcept {
    std::uint64_t sent = 0;
    Ping goodbye;
    goodbye.is_goodbye = 1;
    return post(goodbye, sent);
  }

  bool receive_goodbye() noexcept {
    for (Ping ping;;) {
      if (!receive(ping)) return false;
      if (ping.is_goodbye != 0) return complete(pair_.request, end_ns_);
    }
  }

  bool answer() noexcept {
    for (bool has_answered = false;; has_answered = true) {
      Ping question;
      if (!receive(question)) return false;
      const std::uint64_t received = read_ticks_after_loads();
      // Any other question may belong to a failed session; its sender is gone.
      const bool is_fresh = has_answered && question.answer == pair_.number;
      std::uint64_t replied = 0;
      if (!post({received, 0, 0, question.question, ++pair_.number, 0, 0}, replied)) return false;
      if (!is_fresh) {
        go_on(plan_.more_ns / 8);
        continue;
      }
      go_on(plan_.more_ns);
      grid_.origin_ns = monotonic_now_ns() - question.passed_ns;
      if (question.is_last != 0) return complete(pair_.request, end_ns_);
    }
  }

 private:
  /// Sends as soon as the previous message has left; `sent`: the stamp right before. An answer carries its stamp.
  bool post(const Ping& ping, std::uint64_t& sent) noexcept {
    if (!complete(pair_.request, end_ns_)) return false;
    pair_.message = ping;
    sent = read_ticks();
    if (ping.received_ticks != 0) pair_.message.replied_ticks = sent;
    return g_real.Isend(&pair_.message, sizeof pair_.message, g_mpi.byte, pair_.peer.rank, table_.tag, table_.comm,
                        &pair_.request) == MPI_SUCCESS;
  }

  bool receive(Ping& ping) noexcept {
    MPI_Request request = g_mpi.request_null;
    if (g_real.Irecv(&ping, sizeof ping, g_mpi.byte, pair_.peer.rank, table_.tag, table_.comm, &request) != MPI_SUCCESS)
      return false;
    if (complete(request, end_ns_)) return true;
    if (request == g_mpi.request_null) return false;
    // The message may arrive now; otherwise no one may write to `ping` after the return.
    MPI_Status status{};
    g_real.Cancel(&request);
    return g_real.Wait(&request, &status) == MPI_SUCCESS && status_bytes(status) != kCancelled;
  }

  void go_on(std::int64_t more_ns) noexcept {
    if (more_ns == 0) return;
    const std::int64_t end = monotonic_now_ns() + more_ns;
    if (end > end_ns_) end_ns_ = end;
  }

  const PingTable& table_;
  PingPair& pair_;
  const PingPlan& plan_;
  EpochGrid& grid_;
  std::int64_t end_ns_;
};

}  // namespace

bool complete(MPI_Request& request, std::int64_t end_ns) noexcept {
  int done = 0;
  for (unsigned round = 1;; ++round) {
    if (g_real.Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    if (round % 64 != 0) continue;
    sched_yield();  // the peer may share this core
    if (monotonic_now_ns() > end_ns) return false;
  }
}

bool meet(const PingTable& table, PingPair& pair, const PingPlan& plan, EpochGrid& grid) noexcept {
  PingSession session{table, pair, plan, grid};
  return pair.asks ? session.ask() : session.answer();
}

bool say_goodbye(const PingTable& table, std::int64_t end_ns) noexcept {
  const PingPlan plan{.end_ns = end_ns};
  EpochGrid unused;
  bool is_good = true;
  for (int i = 0; i < table.count; ++i) is_good &= PingSession{table, table.pairs[i], plan, unused}.send_goodbye();
  for (int i = 0; i < table.count; ++i) is_good &= PingSession{table, table.pairs[i], plan, unused}.receive_goodbye();
  return is_good;
}

bool make_pairs(PingTable& table, int domain, const PingPeer* leaders, int domains, int most_star) noexcept {
  const int rounds = meeting_rounds(domains, most_star);
  const std::size_t bytes = static_cast<std::size_t>(rounds) * sizeof(PingPair);
  if (rounds == 0) return true;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  table.pairs = static_cast<PingPair*>(memory);
  for (int round = 0; round < rounds; ++round) {
    const Meeting meeting = meeting_in(round, domain, domains, most_star);
    if (meeting.peer < 0) continue;
    PingPair* const pair = new (&table.pairs[table.count++]) PingPair{};
    pair->peer = leaders[meeting.peer];
    pair->round = round;
    pair->asks = meeting.asks;
    pair->request = g_mpi.request_null;
  }
  return true;
}

}  // namespace meridian
