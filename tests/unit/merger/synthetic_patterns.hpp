// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whole programs as traces of any length: the ranks' calls with times that a network could have made.

#include <array>
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "synthetic_trace.hpp"
#include "tests/support/seed.hpp"

namespace meridian::test {

/// Exchange with the four neighbours on a ring of rows and columns: 4 Irecv, 4 Isend, Waitall; every 10th step an
/// Allreduce. Writes the rank files into `directory`, a block at a time; returns the calls written.
/// Deterministic: equal arguments, equal files.
inline std::uint64_t write_halo(const std::filesystem::path& directory, std::int32_t ranks, std::uint64_t steps,
                                std::uint64_t seed = 1) {
  constexpr std::uint64_t kStepNs = 20'000;
  constexpr std::array<std::int32_t, 4> kTags{1, 2, 3, 4};
  std::uint64_t calls = 0;
  for (std::int32_t r = 0; r < ranks; ++r) {
    SyntheticRank rank{r, ranks};
    auto writer = RankFileWriter::create(directory / rank_file_name(r));
    if (!writer) throw std::runtime_error(writer.error().what);
    std::mt19937_64 random{test::seeded(seed + static_cast<std::uint64_t>(r))};
    const auto noise = [&](std::uint64_t most) { return random() % most; };
    const std::array<std::int32_t, 4> peers{(r + 1) % ranks, (r + ranks - 1) % ranks, (r + 2) % ranks,
                                            (r + 2 * ranks - 2) % ranks};
    SyntheticThread& thread = rank.thread();
    std::uint64_t rank_calls = 0;
    for (std::uint64_t step = 0; step < steps; ++step) {
      std::uint64_t t = 1000 + step * kStepNs + noise(2000);
      const auto next = [&](std::uint64_t ns) {
        const At at{t, t + ns / 2 + noise(ns)};
        t = at.leave + 50 + noise(100);
        return at;
      };
      std::vector<Completion> completions;
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t opposite = i ^ 1;  // what I send to the right comes from the left
        thread.irecv(next(200), peers[i], kTags[opposite], 8192, 0x1000 + i);
        completions.push_back({0x1000 + i, peers[i], kTags[opposite], 8192});
      }
      for (std::size_t i = 0; i < 4; ++i) {
        thread.isend(next(400), peers[i], kTags[i], 8192, 0x2000 + i);
        completions.push_back({0x2000 + i, 0, 0, 0});
      }
      thread.requests(CallId::Waitall, {t, 1000 + step * kStepNs + 10'000 + noise(1000)}, completions);
      t = 1000 + step * kStepNs + 11'100;
      if (step % 10 == 9) {
        thread.collective(CallId::Allreduce, {t + noise(500), 1000 + step * kStepNs + 13'000 + noise(1000)}, 8, 8);
      }
      if (thread.size() >= 65536 - 16 || step + 1 == steps) {
        rank_calls += thread.size();
        SyntheticRank::check(writer->append(ThreadId{0}, thread.batch));
        thread.clear();
      }
    }
    rank.meta.threads.push_back({0, 10, 1000, rank_calls});
    rank.meta.anchors.back() = {AnchorPhase::finish, steps * kStepNs, steps * kStepNs,
                                static_cast<std::int64_t>(steps * kStepNs),
                                1'700'000'000'000'000'000 + static_cast<std::int64_t>(steps * kStepNs)};
    SyntheticRank::check(writer->finish(rank.meta));
    calls += rank_calls;
  }
  return calls;
}

}  // namespace meridian::test
