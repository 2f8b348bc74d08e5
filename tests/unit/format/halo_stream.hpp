// SPDX-License-Identifier: Apache-2.0
#pragma once

// A realistic stream of events: what one rank of a two-dimensional halo exchange records. Per iteration four Irecv,
// four Isend, one Waitall over all eight, one Allreduce; times with noise as on a real machine (log-normal), a TSC
// of 2.6 GHz, request handles from a small pool that is reused in a changing order.

#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "tests/support/seed.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::test {

class HaloStream {
 public:
  static constexpr std::size_t kCallsPerIteration = 10;

  explicit HaloStream(std::uint64_t seed = 1) : random_{test::seeded(seed)} {
    for (std::size_t i = 0; i < requests_.size(); ++i) requests_[i] = 0x55d0'4c2a'1000 + 0x140 * i;
  }

  /// Appends one iteration to the batch.
  void iterate(EventBatch& batch) {
    std::array<std::uint64_t, 8> used;
    for (std::size_t i = 0; i < 8; ++i) {
      used[i] = requests_[next_request_];
      next_request_ = (next_request_ + 1) % requests_.size();
      const bool is_send = i >= 4;
      const std::int32_t direction = static_cast<std::int32_t>(i % 4);
      call(batch, is_send ? CallId::Isend : CallId::Irecv, Payload::p2p, 0);
      batch.p2p.push_back({.comm = kComm,
                           .peer = kPeers[i % 4],
                           .tag = 100 + (is_send ? direction : (direction ^ 1)),
                           .count = direction < 2 ? 1024 : 512,
                           .type_size = 8,
                           .request = used[i]});
    }
    if (random_() % 16 == 0) std::swap(requests_[random_() % 24], requests_[random_() % 24]);
    call(batch, CallId::Waitall, Payload::requests, 8);
    for (std::size_t i = 0; i < 8; ++i) {
      const bool is_send = i >= 4;
      const std::int32_t direction = static_cast<std::int32_t>(i % 4);
      batch.completions.push_back({.request = used[i],
                                   .source = is_send ? 0 : kPeers[i % 4],
                                   .tag = is_send ? 0 : 100 + (direction ^ 1),
                                   .bytes = is_send ? 0 : (direction < 2 ? 8192 : 4096)});
    }
    call(batch, CallId::Allreduce, Payload::coll, 0);
    batch.coll.push_back({.comm = kComm, .root = kNoRoot, .send_bytes = 8, .receive_bytes = 8});
  }

 private:
  static constexpr std::uint64_t kComm = 0x7f31'22c0'9de0;
  static constexpr std::array<std::int32_t, 4> kPeers{1, 3, 4, 12};

  std::uint64_t ticks(double median_ns, double spread) {
    const double ns = std::exp(std::log(median_ns) + spread * normal_(random_));
    return static_cast<std::uint64_t>(ns * 2.6);
  }

  void call(EventBatch& batch, CallId id, Payload payload, std::uint32_t completions) {
    now_ += ticks(500, 0.6);
    batch.enter_ticks.push_back(now_);
    now_ += ticks(500, 0.6);
    batch.leave_ticks.push_back(now_);
    batch.call.push_back(id);
    batch.payload.push_back(payload);
    batch.flags.push_back(0);
    batch.completion_count.push_back(completions);
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::array<std::uint64_t, 24> requests_{};
  std::size_t next_request_ = 0;
  std::uint64_t now_ = 0x3f'1234'5678'9abc;
};

inline void clear(EventBatch& batch) {
  batch.enter_ticks.clear();
  batch.leave_ticks.clear();
  batch.call.clear();
  batch.payload.clear();
  batch.flags.clear();
  batch.completion_count.clear();
  batch.p2p.clear();
  batch.coll.clear();
  batch.completions.clear();
  batch.rma.clear();
  batch.io.clear();
  batch.handles.clear();
  batch.sites.clear();
  batch.counters.clear();
  batch.counters_between.clear();
}

}  // namespace meridian::test
