// SPDX-License-Identifier: Apache-2.0
// Intact rank files with arbitrary values from the input: the merger must trust no value. Two ranks share
// the input's calls. The merge must end, keep every event, and let no message arrive before it was sent.

#include <algorithm>

#include "merger/merge.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace {

using namespace meridian;

constexpr std::uint64_t kWorld = 0x44000000;

PointToPoint side(fuzz::Bytes& bytes) {
  PointToPoint side;
  side.comm = kWorld + static_cast<std::uint64_t>(bytes.take<std::uint8_t>() % 4);
  side.peer = static_cast<std::int32_t>(bytes.number());
  side.tag = static_cast<std::int32_t>(bytes.number());
  side.count = bytes.number();
  side.type_size = static_cast<std::uint32_t>(bytes.number());
  side.request = static_cast<std::uint64_t>(bytes.number());
  return side;
}

/// A definition for each kind of user event, and what its uses hold: two numbers.
void add_user_definitions(RankMeta& meta) {
  for (std::uint32_t kind = 1; kind < kUserKindCount; ++kind)
    meta.user_definitions.push_back({kind, static_cast<UserKind>(kind), "user", "name", "peer:i64 tag:i64"});
}

void add_user_use(fuzz::Bytes& bytes, EventBatch& batch) {
  const std::uint32_t words = bytes.take<std::uint8_t>() % 4;
  batch.user.push_back({bytes.take<std::uint8_t>() % (static_cast<std::uint32_t>(kUserKindCount) + 1), words});
  for (std::uint32_t i = 0; i < words; ++i) batch.user_values.push_back(static_cast<std::uint64_t>(bytes.number()));
}

LockUse lock_use(fuzz::Bytes& bytes) {
  LockUse use;
  use.object = static_cast<std::uint64_t>(bytes.number());
  use.mutex = static_cast<std::uint64_t>(bytes.number());
  use.holder_tid = static_cast<std::int32_t>(bytes.number());
  use.result = static_cast<std::int32_t>(bytes.number());
  use.kind = bytes.take<std::uint8_t>() % 16;
  use.is_contended = bytes.take<std::uint8_t>() % 2;
  return use;
}

ThreadOp thread_op(fuzz::Bytes& bytes) {
  return {static_cast<std::uint64_t>(bytes.number()), static_cast<std::uint64_t>(bytes.number()),
          static_cast<std::uint32_t>(bytes.number()), static_cast<std::int32_t>(bytes.number())};
}

void add_call(fuzz::Bytes& bytes, EventBatch& batch, std::uint64_t& now) {
  now += static_cast<std::uint64_t>(bytes.number());
  batch.enter_ticks.push_back(now);
  now += static_cast<std::uint64_t>(bytes.number());
  batch.leave_ticks.push_back(now);
  batch.call.push_back(static_cast<CallId>(bytes.take<std::uint16_t>() % kCallCount));
  constexpr auto kFirst = static_cast<unsigned>(Payload::local), kLast = static_cast<unsigned>(Payload::polls);
  const auto payload = static_cast<Payload>(kFirst + bytes.take<std::uint8_t>() % (kLast - kFirst + 1));
  batch.payload.push_back(payload);
  batch.flags.push_back(bytes.take<std::uint8_t>() & (kFlagFailed | kFlagUnfinished | kFlagAbandoned));
  const auto completions = static_cast<std::uint32_t>(bytes.take<std::uint8_t>() % 4);
  batch.completion_count.push_back(completions);
  for (std::uint32_t i = 0; i < completions; ++i)
    batch.completions.push_back({static_cast<std::uint64_t>(bytes.number()), static_cast<std::int32_t>(bytes.number()),
                                 static_cast<std::int32_t>(bytes.number()), bytes.number()});
  switch (payload) {
    case Payload::sendrecv:
      batch.p2p.push_back(side(bytes));
      [[fallthrough]];
    case Payload::p2p:
      batch.p2p.push_back(side(bytes));
      break;
    case Payload::coll:
      batch.coll.push_back({kWorld + static_cast<std::uint64_t>(bytes.take<std::uint8_t>() % 4),
                            static_cast<std::int32_t>(bytes.number()), 0, static_cast<std::uint64_t>(bytes.number()),
                            static_cast<std::uint64_t>(bytes.number()), static_cast<std::uint64_t>(bytes.number())});
      break;
    case Payload::rma:
      batch.rma.push_back({1, static_cast<std::int32_t>(bytes.number()), 0, bytes.number(), 8, 0});
      break;
    case Payload::io:
      batch.io.push_back({1, bytes.number(), static_cast<std::uint64_t>(bytes.number()), 0});
      break;
    case Payload::handle:
      batch.handles.push_back({kWorld + static_cast<std::uint64_t>(bytes.take<std::uint8_t>() % 4)});
      break;
    case Payload::lock:
      batch.locks.push_back(lock_use(bytes));
      break;
    case Payload::user:
      add_user_use(bytes, batch);
      break;
    case Payload::thread_op:
      batch.thread_ops.push_back(thread_op(bytes));
      break;
    case Payload::polls:
      batch.polls.push_back(
          {kWorld, 1, 0, static_cast<std::uint64_t>(bytes.number()), static_cast<std::uint64_t>(bytes.number()), 0});
      break;
    case Payload::local:
    case Payload::requests:
    case Payload::comm:  // add_comms()
      break;
    case Payload::none:
    case Payload::pad:
    case Payload::thread:
    case Payload::anchor:
    case Payload::exchange:
    case Payload::members:
    case Payload::text:
    case Payload::overhead:
    case Payload::usage:
    case Payload::stack:  // no calls; without a default, a payload that is new does not compile
      std::abort();
  }
}

void add_comms(fuzz::Bytes& bytes, RankMeta& meta) {
  CommRow world;
  world.birth = {kWorld, 0, 0, 0, 2, meta.rank, 0, 0};
  world.birth.local_hash = hash_rank(hash_rank(kRanksHashSeed, 0), 1);
  meta.comms.push_back(world);
  for (std::uint64_t i = 1; i < 4 && !bytes.is_over(); ++i) {
    CommRow row;
    row.birth.comm = kWorld + i;
    const auto choice = bytes.take<std::uint8_t>();
    row.birth.parent = kWorld + static_cast<std::uint64_t>(choice % 4);
    row.birth.is_across = choice >> 4 & 1;
    row.birth.local_hash = bytes.take<std::uint8_t>() % 2 == 0 ? world.birth.local_hash : bytes.take<std::uint64_t>();
    row.birth.local_size = static_cast<std::int32_t>(bytes.number());
    row.birth.local_rank = static_cast<std::int32_t>(bytes.number());
    row.birth.remote_size = static_cast<std::int32_t>(bytes.number());
    row.call = static_cast<std::uint32_t>(CallId::Comm_dup);
    row.enter_ticks = row.leave_ticks = static_cast<std::uint64_t>(bytes.number());
    if (row.birth.is_across != 0) {
      row.birth.remote_hash = row.birth.local_hash;
      static constexpr const char* kLinks[] = {"spawn t",
                                               "spawned t",
                                               "accept p",
                                               "connect p",
                                               "join e",
                                               "spawn -",
                                               "leaders 0000000044000001 0 1 7",
                                               "leaders 0000000044000001 1 0 7"};
      meta.texts.push_back({kCommLinkKey, kLinks[choice >> 5 & 7], row.birth.comm, row.leave_ticks});
    }
    meta.comms.push_back(row);
  }
}

/// Calls of a batch: a phase of polls of MPI is as many as it says, at least one and at most 2^48.
std::uint64_t calls_in(const EventBatch& batch) {
  std::uint64_t calls = 0;
  std::size_t phase = 0;
  for (std::size_t i = 0; i < batch.call.size(); ++i) {
    const bool is_phase = batch.payload[i] == Payload::polls;
    const bool is_mpi = static_cast<std::size_t>(batch.call[i]) <= kMpiCallCount;
    calls += is_phase && is_mpi ? std::clamp<std::uint64_t>(batch.polls[phase].calls, 1, std::uint64_t{1} << 48) : 1;
    phase += is_phase ? 1 : 0;
  }
  return calls;
}

std::uint64_t write_rank(fuzz::Bytes& bytes, std::int32_t rank, std::size_t calls, const std::filesystem::path& path) {
  RankMeta meta;
  meta.rank = rank;
  meta.size = 2;  // if each rank has its own world, the other rank of that world is missing
  meta.hostname = "node";
  meta.clock = ClockKind::monotonic;
  meta.domain = static_cast<std::uint64_t>(bytes.take<std::uint8_t>() % 2);
  meta.is_finalized = true;
  meta.texts.push_back({"run", "run", 0, 0});
  meta.texts.push_back({"tick_hz", "1000000000", 0, 0});
  meta.anchors.push_back({AnchorPhase::start, 0, 0, 0, 0});
  for (int i = 0; i < 2; ++i)
    meta.exchanges.push_back({1 - rank, AnchorPhase::start, static_cast<std::uint64_t>(bytes.number()),
                              static_cast<std::uint64_t>(bytes.number()), static_cast<std::uint64_t>(bytes.number()),
                              static_cast<std::uint64_t>(bytes.number())});
  add_comms(bytes, meta);
  add_user_definitions(meta);
  EventBatch batch;
  std::uint64_t now = 1000;
  for (std::size_t i = 0; i < calls && !bytes.is_over(); ++i) add_call(bytes, batch, now);
  meta.threads.push_back({0, 1, 0, batch.call.size()});
  auto file = RankFileWriter::create(path);
  if (!file) std::abort();
  if (!batch.call.empty() && !file->append(ThreadId{0}, batch)) std::abort();
  if (!file->finish(meta)) std::abort();
  return calls_in(batch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  fuzz::Bytes bytes{data, size};
  const auto& directory = fuzz::work_directory();
  const auto choice = bytes.take<std::uint8_t>();
  const std::size_t calls = 1 + choice % 64;
  const bool has_worlds = (choice & 64) != 0;
  const std::filesystem::path places[] = {directory / "rank-00001.h5", directory / "world-2" / "rank-00001.h5"};
  std::filesystem::create_directories(directory / "world-2");
  std::filesystem::remove(places[has_worlds ? 0 : 1]);
  const std::uint64_t first = write_rank(bytes, 0, calls, directory / "rank-00000.h5");
  const std::uint64_t second = write_rank(bytes, 1, calls, places[has_worlds ? 1 : 0]);
  const auto merged = merge(directory);
  if (!merged) {
    fuzz::require_words(merged.error().what);
    return 0;
  }
  const RunSummary& run = merged->summary.run;
  if (run.calls + run.thread_calls + run.user_events != first + second) std::abort();
  return 0;
}
