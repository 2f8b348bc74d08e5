// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {

/// A random program of ranks with one thread, with times that a network could have made: blocking, synchronous and
/// non-blocking messages, collectives of all shapes, computing in between. All calls return.
class RandomProgram {
 public:
  RandomProgram(SyntheticRun& run, std::uint64_t seed)
      : run_{run}, random_{test::seeded(seed)}, now_(run.ranks.size(), 1000) {}

  void play(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      const std::size_t from = below(now_.size());
      const std::size_t to = (from + 1 + below(now_.size() - 1)) % now_.size();
      switch (below(6)) {
        case 0:
          collective();
          break;
        case 1:
          message(from, to, CallId::Ssend);
          break;
        case 2:
          message(from, to, CallId::Send);
          break;
        case 3:
          isend(from, to);
          break;
        default:
          irecv(from, to);
      }
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  /// The rank computes, then makes a call that takes at least some time.
  At call(std::size_t rank, std::uint64_t not_before = 0) {
    const std::uint64_t enter = now_[rank] + below(400);
    const At at{enter, std::max(enter, not_before) + 1 + below(50)};
    now_[rank] = at.leave;
    return at;
  }
  static std::int32_t number(std::size_t rank) { return static_cast<std::int32_t>(rank); }

  void message(std::size_t from, std::size_t to, CallId how) {
    const std::uint64_t send = now_[from] + below(400), receive = now_[to] + below(400);
    const bool is_buffered = how == CallId::Send && below(2) == 0;
    now_[from] = (is_buffered ? send : std::max(send, receive)) + 1 + below(50);
    now_[to] = std::max(send, receive) + 1 + below(50);
    run_[from]->send({send, now_[from]}, number(to), 7, 8, kWorld, how);
    run_[to]->receive({receive, now_[to]}, number(from), 7, 8);
  }
  void isend(std::size_t from, std::size_t to) {
    const At send = call(from);
    run_[from]->isend(send, number(to), 7, 8, 0xa);
    run_[from]->wait(call(from), 0xa);
    run_[to]->receive(call(to, send.enter), number(from), 7, 8);
  }
  void irecv(std::size_t from, std::size_t to) {
    run_[to]->irecv(call(to), number(from), 7, 8, 0xb);
    const At send = call(from);
    run_[from]->send(send, number(to), 7, 8);
    run_[to]->wait(call(to, send.enter), 0xb, {number(from), 7, 8});
  }
  void collective() {
    constexpr CallId kCalls[] = {CallId::Barrier, CallId::Allreduce, CallId::Bcast,  CallId::Reduce,
                                 CallId::Scan,    CallId::Gather,    CallId::Scatter};
    const CallId id = kCalls[below(std::size(kCalls))];
    const bool is_rooted = id == CallId::Bcast || id == CallId::Reduce || id == CallId::Gather || id == CallId::Scatter;
    const std::int32_t root = is_rooted ? number(below(now_.size())) : kNoRoot;
    std::uint64_t last = 0;
    std::vector<std::uint64_t> enters;
    for (const std::uint64_t now : now_) last = std::max(last, enters.emplace_back(now + below(400)));
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      now_[rank] = last + 1 + below(50);
      run_[rank]->collective(id, {enters[rank], now_[rank]}, 8, 8, root);
    }
  }

  SyntheticRun& run_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> now_;  // [rank]: leave of its last call
};

}  // namespace meridian::test
