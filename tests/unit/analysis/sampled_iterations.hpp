// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ranks with a barrier after each iteration, and samples of two functions. One tick is one ns. The files of code are gone, so that functions
// are told apart by the file that they are in.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "analysed.hpp"
#include "modules.hpp"
#include "synthetic_trace.hpp"

namespace meridian::test {

inline constexpr std::size_t kIterations = 60;

struct IterationWork {
  std::uint64_t assemble = 600, checkpoint = 0;  // ns
  std::uint64_t all() const { return assemble + checkpoint; }
};

/// Ranks with a barrier after each work(iteration, rank), and a sample each 100 ns of work.
template <class Works>
Summary played(Works&& work, bool has_samples = true, std::size_t ranks = 2) {
  constexpr std::uint32_t kAssemble = 1, kCheckpoint = 2;  // rows of stacks
  SyntheticRun run{static_cast<std::int32_t>(ranks)};
  for (std::size_t i = 0; i < ranks; ++i) {
    SyntheticRank& rank = run[i];
    load_module(rank, "10000", "20000", kBuildId, "/nowhere/assemble");
    load_module(rank, "30000", "40000", std::string{kBuildId} + "44", "/nowhere/checkpoint");
    rank.sample_stacks = {{}, {0, 0x10400}, {0, 0x30400}};
    rank->call(CallId::Init, {0, 10});
    std::uint64_t now = 10;
    for (std::size_t iteration = 0; iteration < kIterations; ++iteration) {
      const IterationWork own = work(iteration, i);
      std::uint64_t longest = 0;
      for (std::size_t other = 0; other < ranks; ++other) longest = std::max(longest, work(iteration, other).all());
      const std::uint64_t worked = now + own.all();
      for (std::uint64_t at = now + 50; has_samples && at < worked; at += 100)
        rank.samples.push_back({at, 0, at < now + own.assemble ? kAssemble : kCheckpoint});
      now += longest + 10;
      rank->collective(CallId::Barrier, {worked, now});
    }
    rank->call(CallId::Finalize, {now + 10, now + 20});
  }
  return analysed(run);
}

}  // namespace meridian::test
