// SPDX-License-Identifier: Apache-2.0
// Inner loops by themselves, to see which of them a change of bench_merge or of the writer comes from.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "merger/model/clock_map.hpp"
#include "trace/containers/tournament.hpp"
#include "trace/format/chunks/chunk_codec.hpp"

namespace meridian {
namespace {

constexpr std::size_t kChunk = 65536;  // elements

/// Durations as they are in a trace: most short, few long.
std::vector<std::uint64_t> durations() {
  std::mt19937_64 random{1};
  std::lognormal_distribution<double> ticks{6.0, 1.5};
  std::vector<std::uint64_t> values(kChunk);
  for (std::uint64_t& value : values) value = static_cast<std::uint64_t>(ticks(random));
  return values;
}

std::vector<std::uint8_t> planes_of(const std::vector<std::uint64_t>& values, std::size_t width) {
  std::vector<std::uint8_t> planes(kChunk * width);
  split_planes(values.data(), kChunk, ColumnType::u64, width, kChunk, planes.data());
  return planes;
}

void count_values(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(kChunk) * static_cast<std::int64_t>(state.iterations()));
}

void SplitPlanes(benchmark::State& state) {
  const auto values = durations();
  const std::size_t width = range_of(values.data(), kChunk, ColumnType::u64).width;
  std::vector<std::uint8_t> planes(kChunk * width);
  for (auto _ : state) {
    split_planes(values.data(), kChunk, ColumnType::u64, width, kChunk, planes.data());
    benchmark::ClobberMemory();
  }
  count_values(state);
}
BENCHMARK(SplitPlanes);

void Deflate(benchmark::State& state) {
  const auto values = durations();
  const auto planes = planes_of(values, range_of(values.data(), kChunk, ColumnType::u64).width);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = deflate_bytes(planes, static_cast<int>(state.range(0))).size();
  state.counters["bytes per value"] = static_cast<double>(bytes) / kChunk;
  count_values(state);
}
BENCHMARK(Deflate)->Arg(1)->Arg(6);

void InflateAndJoin(benchmark::State& state) {
  const auto values = durations();
  const std::size_t width = range_of(values.data(), kChunk, ColumnType::u64).width;
  const auto planes = planes_of(values, width);
  const auto deflated = deflate_bytes(planes, 1);
  const std::vector<std::uint8_t> stream(deflated.begin(), deflated.end());
  std::vector<std::uint8_t> read(planes.size());
  std::vector<std::uint64_t> joined(kChunk);
  for (auto _ : state) {
    if (!inflate_bytes(stream, read) ||
        !join_planes(read.data(), kChunk, width, false, 0, kChunk, ColumnType::u64, joined.data()))
      state.SkipWithError("the chunk cannot be read back");
    benchmark::ClobberMemory();
  }
  count_values(state);
}
BENCHMARK(InflateAndJoin);

/// The next event of this many ranks.
void NextOfRanks(benchmark::State& state) {
  const auto ranks = static_cast<std::size_t>(state.range(0));
  std::vector<std::int64_t> keys(ranks);
  for (std::size_t i = 0; i < ranks; ++i) keys[i] = static_cast<std::int64_t>(i);
  Tournament<std::int64_t> tournament{keys, INT64_MAX};
  for (auto _ : state) tournament.update(tournament.top(), tournament.top_key() + static_cast<std::int64_t>(ranks));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(NextOfRanks)->Arg(4)->Arg(64)->Arg(1024)->Arg(10000);

void TicksToGlobalTime(benchmark::State& state) {
  const ClockMap map{1'000'000, 17, (std::uint64_t{1} << kTickScaleBits) / 3};
  const auto values = durations();
  for (auto _ : state) {
    std::int64_t sum = 0;
    for (const std::uint64_t value : values) sum += map.to_global(value);
    benchmark::DoNotOptimize(sum);
  }
  count_values(state);
}
BENCHMARK(TicksToGlobalTime);

}  // namespace
}  // namespace meridian
