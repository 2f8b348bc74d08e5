// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/generated_halo.hpp"

#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <string>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kWorldHandle = 0x44000000, kSelfHandle = 0x44000001;
constexpr std::uint64_t kCallSite = 0x401000;  // address of the first call in the program
constexpr std::uint64_t kStepNs = 20'000;
constexpr std::int64_t kStartOfRunNs = 1'700'000'000'000'000'000;  // realtime
constexpr std::uint64_t kCollectiveEvery = 10;                     // steps
constexpr std::size_t kEventsAtOnce = 16384;                       // as the writer of a traced program
constexpr std::size_t kNeighbours = 4;
constexpr std::int64_t kBytes = 8192;

/// A communicator as MPI makes it itself.
CommRow birth_of(std::uint64_t handle, std::int32_t rank, std::span<const std::int32_t> group) {
  CommRow row;
  row.birth.comm = handle;
  row.birth.local_hash = kRanksHashSeed;
  row.birth.local_size = static_cast<std::int32_t>(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    row.birth.local_hash = hash_rank(row.birth.local_hash, group[i]);
    if (group[i] == rank) row.birth.local_rank = static_cast<std::int32_t>(i);
  }
  return row;
}

RankMeta meta_of(std::int32_t rank, std::span<const std::int32_t> world) {
  RankMeta meta;
  meta.rank = rank;
  meta.size = static_cast<std::int32_t>(world.size());
  meta.pid = 1000 + rank;
  meta.hostname = "generated";
  meta.executable = "./generated";
  meta.clock = ClockKind::monotonic;
  meta.domain = 1;
  meta.is_finalized = true;
  meta.texts.push_back({"run", "generated", 0, 0});
  meta.texts.push_back({"mpi_library", "none: a generated trace", 0, 0});
  meta.texts.push_back({"tick_hz", "1000000000", 0, 0});
  meta.anchors.push_back({AnchorPhase::start, 0, 0, 0, kStartOfRunNs});
  meta.comms.push_back(birth_of(kWorldHandle, rank, world));
  meta.comms.push_back(birth_of(kSelfHandle, rank, world.subspan(static_cast<std::size_t>(rank), 1)));
  return meta;
}

/// The calls of one rank, step by step.
class HaloRank {
 public:
  HaloRank(std::int32_t rank, std::int32_t ranks, std::uint64_t seed)
      : random_{seed},
        peers_{(rank + 1) % ranks, (rank + ranks - 1) % ranks, (rank + 2) % ranks, (rank + 2 * ranks - 2) % ranks} {
    completions_.resize(2 * kNeighbours);
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      completions_[i] = {0x1000 + i, peers_[i], tag(i ^ 1), kBytes};
      completions_[kNeighbours + i] = {0x2000 + i, 0, 0, 0};
    }
  }

  EventBatch batch;

  void add_step(std::uint64_t step) {
    const std::uint64_t begin = 1000 + step * kStepNs;
    at_ = begin + noise(2000);
    for (std::size_t i = 0; i < kNeighbours; ++i) add_message(CallId::Irecv, 200, i, tag(i ^ 1), 0x1000 + i);
    for (std::size_t i = 0; i < kNeighbours; ++i) add_message(CallId::Isend, 400, i, tag(i), 0x2000 + i);
    add(CallId::Waitall, Payload::requests, at_, begin + 10'000 + noise(1000));
    batch.completion_count.back() = static_cast<std::uint32_t>(completions_.size());
    batch.completions.insert(batch.completions.end(), completions_.begin(), completions_.end());
    if (step % kCollectiveEvery != kCollectiveEvery - 1) return;
    const std::uint64_t enter = begin + 11'100 + noise(500);
    add(CallId::Allreduce, Payload::coll, enter, begin + 13'000 + noise(1000));
    batch.coll.push_back({kWorldHandle, kNoRoot, 0, 8, 8, 0});
  }

 private:
  static constexpr std::int32_t tag(std::size_t neighbour) { return static_cast<std::int32_t>(neighbour) + 1; }
  std::uint64_t noise(std::uint64_t most) { return random_() % most; }

  void add_message(CallId call, std::uint64_t ns, std::size_t neighbour, std::int32_t with_tag, std::uint64_t request) {
    const std::uint64_t leave = at_ + ns / 2 + noise(ns);
    add(call, Payload::p2p, at_, leave);
    batch.p2p.push_back({kWorldHandle, peers_[neighbour], with_tag, kBytes, 1, 0, request});
    at_ = leave + 50 + noise(100);
  }

  void add(CallId call, Payload payload, std::uint64_t enter, std::uint64_t leave) {
    batch.enter_ticks.push_back(enter);
    batch.leave_ticks.push_back(leave);
    batch.call.push_back(call);
    batch.payload.push_back(payload);
    batch.flags.push_back(kFlagSite);
    batch.completion_count.push_back(0);
    batch.sites.push_back(kCallSite + 16 * static_cast<std::uint64_t>(call));
  }

  std::mt19937_64 random_;
  std::array<std::int32_t, kNeighbours> peers_;
  std::vector<Completion> completions_;
  std::uint64_t at_ = 0;
};

Result<std::uint64_t> write_rank(const fs::path& directory, std::int32_t rank, std::span<const std::int32_t> world,
                                 const GeneratedSize& size, const GeneratedProgress& progress, std::uint64_t before) {
  MERIDIAN_TRY(RankFileWriter writer, RankFileWriter::create(directory / rank_file_name(rank)));
  HaloRank halo{rank, size.ranks, size.seed + static_cast<std::uint64_t>(rank)};
  std::uint64_t calls = 0, step = 0;
  do {
    halo.batch = {};
    while (halo.batch.call.size() + 2 * kNeighbours + 2 <= kEventsAtOnce && calls + halo.batch.call.size() < size.calls)
      halo.add_step(step++);
    if (halo.batch.call.empty()) break;
    MERIDIAN_TRY_DO(writer.append(ThreadId{0}, halo.batch));
    calls += halo.batch.call.size();
    if (progress) progress(before + calls);
  } while (calls < size.calls);
  RankMeta meta = meta_of(rank, world);
  const std::uint64_t end = (step + 1) * kStepNs;
  meta.threads.push_back({0, 1000 + rank, 1000, calls});
  meta.anchors.push_back(
      {AnchorPhase::finish, end, end, static_cast<std::int64_t>(end), kStartOfRunNs + static_cast<std::int64_t>(end)});
  MERIDIAN_TRY_DO(writer.finish(meta));
  return calls;
}

}  // namespace

Result<std::uint64_t> generate_halo(const fs::path& directory, const GeneratedSize& size,
                                    const GeneratedProgress& progress) {
  std::vector<std::int32_t> world(static_cast<std::size_t>(size.ranks));
  for (std::size_t i = 0; i < world.size(); ++i) world[i] = static_cast<std::int32_t>(i);
  std::uint64_t calls = 0;
  for (const std::int32_t rank : world) {
    MERIDIAN_TRY(const std::uint64_t written, write_rank(directory, rank, world, size, progress, calls));
    calls += written;
  }
  return calls;
}

}  // namespace meridian
