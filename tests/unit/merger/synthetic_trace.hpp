// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rank files made by hand: the calls of every rank, with only the facts that matter. One tick is one ns.

#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "merger/merge.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/rank/energy_table.hpp"
#include "trace/format/rank/memory_table.hpp"
#include "trace/format/rank/processor_table.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/rank/sample_table.hpp"

namespace meridian::test {

inline constexpr std::uint64_t kWorld = 0x44000000;  ///< handles
inline constexpr std::uint64_t kSelf = 0x44000001;

/// When a call begins and ends.
struct At {
  std::uint64_t enter = 0;
  std::uint64_t leave = 0;
};
/// The contents of a status.
struct Found {
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
};

/// The calls of one thread, in order of enter.
class SyntheticThread {
 public:
  EventBatch batch;
  std::uint64_t routine = 0;                     ///< address
  std::uint64_t begin_ticks = 0, end_ticks = 0;  ///< 0: with its first event; running at the end
  std::int64_t creator = -1;
  bool is_inside = false;  ///< calls in callbacks of another thread's calls

  std::size_t size() const { return batch.call.size(); }
  void clear() { batch = {}; }

  void call(CallId id, At at, Payload payload = Payload::local, std::uint8_t flags = 0,
            const std::vector<Completion>& completions = {}) {
    batch.enter_ticks.push_back(at.enter);
    batch.leave_ticks.push_back(at.leave);
    batch.call.push_back(id);
    batch.payload.push_back(payload);
    batch.flags.push_back(flags);
    batch.completion_count.push_back(static_cast<std::uint32_t>(completions.size()));
    batch.completions.insert(batch.completions.end(), completions.begin(), completions.end());
  }

  void send(At at, std::int32_t dest, std::int32_t tag, std::int64_t bytes, std::uint64_t comm = kWorld,
            CallId id = CallId::Send, std::uint8_t flags = 0) {
    call(id, at, Payload::p2p, flags);
    side(comm, dest, tag, bytes);
  }
  void receive(At at, std::int32_t source, std::int32_t tag, Found found, std::uint64_t comm = kWorld,
               CallId id = CallId::Recv) {
    call(id, at, Payload::p2p, 0, {{0, found.source, found.tag, found.bytes}});
    side(comm, source, tag, found.bytes);
  }
  void receive(At at, std::int32_t source, std::int32_t tag, std::int64_t bytes) {
    receive(at, source, tag, {source, tag, bytes});
  }
  void isend(At at, std::int32_t dest, std::int32_t tag, std::int64_t bytes, std::uint64_t request,
             std::uint64_t comm = kWorld, CallId id = CallId::Isend) {
    call(id, at, Payload::p2p);
    side(comm, dest, tag, bytes, request);
  }
  void irecv(At at, std::int32_t source, std::int32_t tag, std::int64_t bytes, std::uint64_t request,
             std::uint64_t comm = kWorld, CallId id = CallId::Irecv) {
    call(id, at, Payload::p2p);
    side(comm, source, tag, bytes, request);
  }
  void sendrecv(At at, std::int32_t dest, std::int32_t send_tag, std::int64_t bytes, std::int32_t source,
                std::int32_t receive_tag, Found found, std::uint64_t comm = kWorld) {
    call(CallId::Sendrecv, at, Payload::sendrecv, 0, {{0, found.source, found.tag, found.bytes}});
    side(comm, dest, send_tag, bytes);
    side(comm, source, receive_tag, found.bytes);
  }
  /// Wait*, Test*, Start*, Cancel, Request_free.
  void requests(CallId id, At at, const std::vector<Completion>& completions, std::uint8_t flags = 0) {
    call(id, at, Payload::requests, flags, completions);
  }
  /// A phase of polls that find nothing.
  void polls(CallId id, At at, std::uint64_t calls, std::uint64_t inside, std::uint64_t comm = 0,
             std::int32_t peer = -1, std::int32_t tag = -1) {
    call(id, at, Payload::polls);
    batch.polls.push_back({comm, peer, tag, calls, inside, 0});
  }
  void wait(At at, std::uint64_t request, Found found = {kAnySource, kAnyTag, 0}) {
    requests(CallId::Wait, at, {{request, found.source, found.tag, found.bytes}});
  }
  void start(At at, std::uint64_t request) { requests(CallId::Start, at, {{request, 0, 0, 0}}); }
  void collective(CallId id, At at, std::uint64_t send_bytes = 0, std::uint64_t receive_bytes = 0,
                  std::int32_t root = kNoRoot, std::uint64_t request = 0, std::uint64_t comm = kWorld,
                  std::uint8_t flags = 0) {
    call(id, at, Payload::coll, flags);
    batch.coll.push_back({comm, root, 0, send_bytes, receive_bytes, request});
  }
  void lock(CallId id, At at, LockKind kind, std::uint64_t object, bool is_contended, std::int32_t holder_tid = 0,
            std::uint8_t flags = 0, std::uint64_t mutex = 0) {
    call(id, at, Payload::lock, flags);
    const std::uint8_t contended = is_contended ? 1 : 0;
    batch.locks.push_back({object, mutex, holder_tid, 0, static_cast<std::uint8_t>(kind), contended, {}});
  }
  /// About another thread.
  void thread_op(CallId id, At at, std::uint32_t thread) {
    call(id, at, Payload::thread_op);
    batch.thread_ops.push_back({0, 0, thread, 0});
  }
  void handle(CallId id, At at, std::uint64_t value) {
    call(id, at, Payload::handle);
    batch.handles.push_back({value});
  }

  /// Put, Get..., or about one target of a window: `detail` of MPI_Win_lock.
  void at_target(CallId id, At at, std::uint64_t window, std::int32_t target, std::int64_t detail = 0,
                 std::uint64_t bytes = 0) {
    call(id, at, Payload::rma);
    batch.rma.push_back({window, target, 0, detail, bytes, 0});
  }
  /// MPI_Win_start, MPI_Win_post: with the world ranks of the group.
  void epoch(CallId id, At at, std::uint64_t window, const std::vector<std::int32_t>& group) {
    std::vector<Completion> members;
    members.reserve(group.size());
    for (const std::int32_t rank : group) members.push_back({window, rank, 0, 0});
    call(id, at, Payload::handle, 0, members);
    batch.handles.push_back({window});
  }

  void side(std::uint64_t comm, std::int32_t peer, std::int32_t tag, std::int64_t bytes, std::uint64_t request = 0) {
    batch.p2p.push_back({comm, peer, tag, bytes, 1, 0, request});
  }
};

inline std::uint64_t hash_of(const std::vector<std::int32_t>& world_ranks) {
  std::uint64_t hash = kRanksHashSeed;
  for (const std::int32_t rank : world_ranks) hash = hash_rank(hash, rank);
  return hash;
}

/// One rank: its threads, and what its file says besides.
class SyntheticRank {
 public:
  RankMeta meta;
  std::map<std::uint32_t, SyntheticThread> threads;
  std::vector<SampleRow> samples;
  std::vector<StackRow> sample_stacks{{}};
  std::vector<ProcessorRow> processor;
  std::vector<MemoryRow> memory;
  std::vector<EnergyRow> energy;

  SyntheticRank(std::int32_t rank, std::int32_t size) {
    meta.rank = rank;
    meta.size = size;
    meta.pid = 1000 + rank;
    meta.hostname = "node";
    meta.executable = "./app";
    meta.clock = ClockKind::monotonic;
    meta.domain = 7;
    meta.is_finalized = true;
    meta.texts.push_back({"run", "app-1", 0, 0});
    meta.texts.push_back({"mpi_library", "Synthetic MPI", 0, 0});
    meta.texts.push_back({"tick_hz", "1000000000", 0, 0});
    meta.anchors.push_back({AnchorPhase::start, 0, 0, 0, 1'700'000'000'000'000'000});
    meta.anchors.push_back(
        {AnchorPhase::finish, 1'000'000'000, 1'000'000'000, 1'000'000'000, 1'700'000'001'000'000'000});
    std::vector<std::int32_t> everybody(static_cast<std::size_t>(size));
    std::iota(everybody.begin(), everybody.end(), 0);
    add_comm(kWorld, 0, everybody, CallId::none, {0, 0});
    add_comm(kSelf, 0, {rank}, CallId::none, {0, 0});
  }

  SyntheticThread& thread(std::uint32_t number = 0) { return threads[number]; }
  SyntheticThread* operator->() { return &thread(); }

  /// The rank makes a communicator of these world ranks (and, an intercommunicator, of those on its other side).
  void make_comm(At at, std::uint64_t handle, std::uint64_t parent, const std::vector<std::int32_t>& group,
                 CallId id = CallId::Comm_split, std::uint32_t number = 0,
                 const std::vector<std::int32_t>& remote = {}) {
    thread(number).call(id, at, Payload::comm);
    add_comm(handle, parent, group, id, at, number, remote);
  }
  void add_comm(std::uint64_t handle, std::uint64_t parent, const std::vector<std::int32_t>& group, CallId id, At at,
                std::uint32_t number = 0, const std::vector<std::int32_t>& remote = {}) {
    CommRow row;
    row.birth.comm = handle;
    row.birth.parent = parent;
    row.birth.local_hash = hash_of(group);
    row.birth.local_size = static_cast<std::int32_t>(group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      if (group[i] == meta.rank) row.birth.local_rank = static_cast<std::int32_t>(i);
    if (!remote.empty()) {
      row.birth.remote_hash = hash_of(remote);
      row.birth.remote_size = static_cast<std::int32_t>(remote.size());
    }
    row.call = static_cast<std::uint32_t>(id);
    row.thread = number;
    row.enter_ticks = at.enter;
    row.leave_ticks = at.leave;
    meta.comms.push_back(row);
  }

  /// The rank makes a window on the world.
  void make_window(At at, std::uint64_t window, CallId id = CallId::Win_create) {
    thread().handle(id, at, window);
    meta.texts.push_back({kWindowCommKey, "0000000044000000", window, at.leave});
  }
  /// The rank makes a communicator of all, and receives from these in neighbourhood collectives.
  void make_topology(At at, std::uint64_t handle, const std::vector<std::int32_t>& sources) {
    std::vector<std::int32_t> everybody(static_cast<std::size_t>(meta.size));
    std::iota(everybody.begin(), everybody.end(), 0);
    make_comm(at, handle, kWorld, everybody, CallId::Cart_create);
    std::string text;
    for (const std::int32_t source : sources) text += (text.empty() ? "" : " ") + std::to_string(source);
    meta.texts.push_back({kCommSourcesKey, text, handle, at.leave});
  }

  /// The threads as the writer would store them.
  void close(std::uint64_t first_event_count = 0) {
    meta.threads.clear();
    for (const auto& [number, events] : threads)
      meta.threads.push_back({.thread = number,
                              .kernel_tid = events.is_inside ? 0 : 10 + static_cast<std::int32_t>(number),
                              .begin_ticks = events.begin_ticks != 0 || events.size() == 0
                                                 ? events.begin_ticks
                                                 : events.batch.enter_ticks.front(),
                              .events = events.size() + first_event_count,
                              .end_ticks = events.end_ticks,
                              .creator = events.creator,
                              .routine = events.routine});
  }

  void write(const std::filesystem::path& path) {
    close();
    auto writer = RankFileWriter::create(path);
    if (!writer) throw std::runtime_error(writer.error().what);
    for (const auto& [number, events] : threads)
      if (events.size() != 0) check(writer->append(ThreadId{number}, events.batch));
    SampleTableWriter table{writer->id()};
    for (const SampleRow& row : samples) check(table.push(row));
    check(table.finish(sample_stacks));
    ProcessorTableWriter intervals{writer->id()};
    for (const ProcessorRow& row : processor) check(intervals.push(row));
    check(intervals.finish());
    MemoryTableWriter readings{writer->id()};
    for (const MemoryRow& row : memory) check(readings.push(row));
    check(readings.finish());
    EnergyTableWriter used{writer->id()};
    for (const EnergyRow& row : energy) check(used.push(row));
    check(used.finish());
    check(writer->finish(meta));
  }

  static void check(const Status& status) {
    if (!status) throw std::runtime_error(status.error().what);
  }
};

/// All ranks of a run, in a directory of their own.
class SyntheticRun {
 public:
  TempDir directory;
  std::vector<SyntheticRank> ranks;

  explicit SyntheticRun(std::int32_t size) {
    for (std::int32_t rank = 0; rank < size; ++rank) ranks.emplace_back(rank, size);
  }
  SyntheticRank& operator[](std::size_t rank) { return ranks[rank]; }

  void write() {
    for (SyntheticRank& rank : ranks) rank.write(directory / rank_file_name(rank.meta.rank));
  }
  Result<MergeOutcome> merge(const MergeOptions& options = {}) {
    write();
    return meridian::merge(directory.path(), options);
  }
  std::filesystem::path merged() const { return directory / "merged.h5"; }
};

/// A run in which all ranks send to all, with enough calls that rank files have data to damage.
inline void fill_all_to_all(SyntheticRun& run, std::uint64_t rounds = 1) {
  const auto size = static_cast<std::int32_t>(run.ranks.size());
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (std::int32_t r = 0; r < size; ++r) {
      std::uint64_t t = round * 10'000 + static_cast<std::uint64_t>(r) + round % 7;
      for (std::int32_t other = 0; other < size; ++other)
        if (other != r) run[static_cast<std::size_t>(r)]->send({t, t + 3}, other, 1, 8), t += 10;
      t = round * 10'000 + 5'000 + static_cast<std::uint64_t>(r) + round % 5;
      for (std::int32_t other = 0; other < size; ++other)
        if (other != r) run[static_cast<std::size_t>(r)]->receive({t, t + 3}, other, 1, 8), t += 10;
    }
}

}  // namespace meridian::test
