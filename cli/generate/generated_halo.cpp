// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/generated_halo.hpp"

#include <algorithm>
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
constexpr std::uint64_t kStartNs = 300'000;    // for the exchanges between hosts
constexpr std::uint64_t kStepNs = 20'000;
constexpr std::int64_t kStartOfRunNs = 1'700'000'000'000'000'000;  // realtime
constexpr std::uint64_t kCollectiveEvery = 10;                     // steps
constexpr std::size_t kEventsAtOnce = 16384;                       // as the writer of a traced program
constexpr std::size_t kNeighbours = 4;
constexpr std::int64_t kBytes = 8192;

/// The clock of a host: what it shows at a time of the run.
struct HostClock {
  std::uint64_t ahead_ns = 0;
  std::int64_t drift_ppb = 0;

  static HostClock of(std::int32_t host, std::uint64_t seed) {
    if (host == 0) return {};
    std::mt19937_64 random{seed + (static_cast<std::uint64_t>(host) << 32)};
    return {random() % 1'000'000'000, static_cast<std::int64_t>(random() % 40'000) - 20'000};
  }
  std::uint64_t at(std::uint64_t ns) const {
    constexpr std::int64_t kBillion = 1'000'000'000;
    const auto whole = static_cast<std::int64_t>(ns);
    return ahead_ns + ns +
           static_cast<std::uint64_t>(whole / kBillion * drift_ppb + whole % kBillion * drift_ppb / kBillion);
  }
};

/// Which ranks are on which host.
struct Hosts {
  std::int32_t ranks = 1, hosts = 1;

  std::int32_t of(std::int32_t rank) const { return static_cast<std::int32_t>(std::int64_t{rank} * hosts / ranks); }
  std::int32_t first_rank(std::int32_t host) const {
    return static_cast<std::int32_t>((std::int64_t{host} * ranks + hosts - 1) / hosts);
  }
  bool is_first(std::int32_t rank) const { return first_rank(of(rank)) == rank; }
  /// The host that has the clock of this one compared: along a tree below host 0.
  static std::int32_t above(std::int32_t host) { return host & (host - 1); }
};

/// Ping-pongs with the host above, as the tracer makes them in MPI_Init and MPI_Finalize.
void add_exchanges(RankMeta& meta, const Hosts& hosts, AnchorPhase phase, std::uint64_t begin, std::uint64_t seed) {
  constexpr int kRounds = 10;
  constexpr std::uint64_t kOneWayNs = 1500, kMostLateNs = 1000, kApartNs = 20'000;
  const std::int32_t host = hosts.of(meta.rank);
  if (host == 0 || !hosts.is_first(meta.rank)) return;
  const HostClock here = HostClock::of(host, seed), there = HostClock::of(Hosts::above(host), seed);
  std::mt19937_64 random{seed ^ begin ^ static_cast<std::uint64_t>(host)};
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t sent = begin + static_cast<std::uint64_t>(round) * kApartNs;
    const std::uint64_t received = sent + kOneWayNs + random() % kMostLateNs, replied = received + 100;
    const std::uint64_t returned = replied + kOneWayNs + random() % kMostLateNs;
    meta.exchanges.push_back({hosts.first_rank(Hosts::above(host)), phase, here.at(sent), there.at(received),
                              there.at(replied), here.at(returned)});
  }
}

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

RankMeta meta_of(std::int32_t rank, std::span<const std::int32_t> world, const Hosts& hosts) {
  const std::int32_t host = hosts.of(rank);
  RankMeta meta;
  meta.rank = rank;
  meta.size = static_cast<std::int32_t>(world.size());
  meta.pid = 1000 + rank;
  meta.hostname = hosts.hosts == 1 ? "generated" : "generated-" + std::to_string(host);
  meta.executable = "./generated";
  meta.clock = ClockKind::monotonic;
  meta.domain = 1 + static_cast<std::uint64_t>(host);
  meta.is_finalized = true;
  meta.texts.push_back({"run", "generated", 0, 0});
  meta.texts.push_back({"mpi_library", "none: a generated trace", 0, 0});
  meta.texts.push_back({"tick_hz", "1000000000", 0, 0});
  meta.comms.push_back(birth_of(kWorldHandle, rank, world));
  meta.comms.push_back(birth_of(kSelfHandle, rank, world.subspan(static_cast<std::size_t>(rank), 1)));
  return meta;
}

/// The calls of one rank, step by step.
class HaloRank {
 public:
  HaloRank(std::int32_t rank, std::int32_t ranks, const HostClock& clock, std::uint64_t seed)
      : clock_{clock},
        random_{seed},
        peers_{(rank + 1) % ranks, (rank + ranks - 1) % ranks, (rank + 2) % ranks, (rank + 2 * ranks - 2) % ranks} {
    completions_.resize(2 * kNeighbours);
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      completions_[i] = {0x1000 + i, peers_[i], tag(i ^ 1), kBytes};
      completions_[kNeighbours + i] = {0x2000 + i, 0, 0, 0};
    }
  }

  EventBatch batch;

  void add_step(std::uint64_t step) {
    const std::uint64_t begin = kStartNs + step * kStepNs;
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
    batch.enter_ticks.push_back(clock_.at(enter));
    batch.leave_ticks.push_back(clock_.at(leave));
    batch.call.push_back(call);
    batch.payload.push_back(payload);
    batch.flags.push_back(kFlagSite);
    batch.completion_count.push_back(0);
    batch.sites.push_back(kCallSite + 16 * static_cast<std::uint64_t>(call));
  }

  HostClock clock_;
  std::mt19937_64 random_;
  std::array<std::int32_t, kNeighbours> peers_;
  std::vector<Completion> completions_;
  std::uint64_t at_ = 0;
};

Result<std::uint64_t> write_rank(const fs::path& directory, std::int32_t rank, std::span<const std::int32_t> world,
                                 const GeneratedSize& size, const GeneratedProgress& progress, std::uint64_t before) {
  MERIDIAN_TRY(RankFileWriter writer, RankFileWriter::create(directory / rank_file_name(rank)));
  const Hosts hosts{size.ranks, std::min(size.hosts, size.ranks)};
  const HostClock clock = HostClock::of(hosts.of(rank), size.seed);
  HaloRank halo{rank, size.ranks, clock, size.seed + static_cast<std::uint64_t>(rank)};
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
  RankMeta meta = meta_of(rank, world, hosts);
  meta.threads.push_back({0, 1000 + rank, clock.at(kStartNs), calls});
  const auto add_anchor = [&](AnchorPhase phase, std::uint64_t ns) {
    const std::uint64_t ticks = clock.at(ns);
    meta.anchors.push_back(
        {phase, ticks, ticks, static_cast<std::int64_t>(ticks), kStartOfRunNs + static_cast<std::int64_t>(ns)});
  };
  const std::uint64_t end = kStartNs + (step + 1) * kStepNs;
  add_anchor(AnchorPhase::start, 0);
  add_exchanges(meta, hosts, AnchorPhase::start, 1000, size.seed);
  add_exchanges(meta, hosts, AnchorPhase::finish, end, size.seed);
  add_anchor(AnchorPhase::finish, end + kStartNs);
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
