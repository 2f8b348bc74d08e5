// SPDX-License-Identifier: Apache-2.0
#pragma once

// A rank with something in every table, and comparisons with what was read back.

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "halo_stream.hpp"
#include "tests/support/seed.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::test {

struct Sample {
  RankMeta meta;
  std::vector<std::pair<ThreadId, EventBatch>> batches;
};

inline EventBatch sample_batch(std::uint64_t seed, std::size_t events, std::uint32_t counters) {
  std::mt19937_64 random{test::seeded(seed)};
  EventBatch batch;
  std::uint64_t now = 1000 + random() % 1000000;
  const auto small = [&](int range) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(range)); };
  const auto handle = [&] { return random() % 4 == 0 ? 0 : 0x7f0000000000 + 64 * (random() % 50); };
  for (std::size_t i = 0; i < events; ++i) {
    now += random() % 100 == 0 ? random() % (1ull << 34) : random() % 5000;
    batch.enter_ticks.push_back(now);
    now += random() % 100 == 0 ? random() % (1ull << 35) : random() % 3000;
    batch.leave_ticks.push_back(now);
    batch.call.push_back(static_cast<CallId>(1 + random() % (kCallCount - 1)));
    constexpr Payload kinds[] = {Payload::local,    Payload::p2p,  Payload::sendrecv, Payload::coll,
                                 Payload::requests, Payload::comm, Payload::rma,      Payload::io,
                                 Payload::handle,   Payload::user, Payload::lock,     Payload::thread_op,
                                 Payload::polls};
    const Payload payload = kinds[random() % std::size(kinds)];
    batch.payload.push_back(payload);
    std::uint8_t flags = random() % 50 == 0 ? kFlagFailed : 0;
    if (counters > 0 && random() % 2 == 0) flags |= kFlagCounters;
    if (random() % 3 == 0) flags |= kFlagSite;
    batch.flags.push_back(flags);
    const std::uint32_t completions = payload == Payload::requests ? static_cast<std::uint32_t>(random() % 9) : 0;
    batch.completion_count.push_back(completions);
    for (std::uint32_t c = 0; c < completions; ++c)
      batch.completions.push_back(
          {handle(), small(64) - 3, small(1000), static_cast<std::int64_t>(random() % 70000) - 2});
    const auto p2p = [&] {
      return PointToPoint{handle(), small(64) - 2, small(100000) - 1, small(1 << 20), 8, 0, handle()};
    };
    if (payload == Payload::p2p) batch.p2p.push_back(p2p());
    if (payload == Payload::sendrecv) batch.p2p.insert(batch.p2p.end(), {p2p(), p2p()});
    if (payload == Payload::coll)
      batch.coll.push_back({handle(), small(8) - 4, 0, random() % 999999, random(), handle()});
    if (payload == Payload::rma)
      batch.rma.push_back({handle(), small(9), 0, static_cast<std::int64_t>(random()), random(), handle()});
    if (payload == Payload::io) batch.io.push_back({handle(), small(900) - 1, random() % 4096, handle()});
    if (payload == Payload::handle) batch.handles.push_back({handle()});
    if (payload == Payload::user) {
      batch.user.push_back({static_cast<std::uint32_t>(1 + random() % 3), static_cast<std::uint32_t>(random() % 5)});
      for (std::uint32_t word = 0; word < batch.user.back().words; ++word) batch.user_values.push_back(random());
    }
    if (payload == Payload::lock)
      batch.locks.push_back({handle(), handle(), small(70000), small(120), 1, static_cast<std::uint8_t>(small(2)), {}});
    if (payload == Payload::polls)
      batch.polls.push_back({handle(), small(9) - 1, small(9) - 1, random() % 9999, random(), random() % 99});
    if (payload == Payload::thread_op) batch.thread_ops.push_back({handle(), handle(), kNoThread, small(30)});
    if ((flags & kFlagSite) != 0) batch.sites.push_back(0x400000 + random() % 4096);
    if ((flags & kFlagSite) != 0 && seed % 2 == 0)
      batch.nodes.push_back(static_cast<std::uint32_t>(batch.sites.size() % 4));
    if ((flags & kFlagCounters) != 0)
      for (std::uint32_t c = 0; c < counters; ++c) {
        batch.counters.push_back(static_cast<std::int64_t>(random() % 1000000) - 1000);
        batch.counters_between.push_back(static_cast<std::int64_t>(random() % 1000000) - 1000);
      }
  }
  return batch;
}

inline Sample sample_rank(std::size_t batches = 5, std::size_t events = 3000) {
  Sample sample;
  RankMeta& meta = sample.meta;
  meta.rank = 3;
  meta.size = 8;
  meta.pid = 4711;
  meta.hostname = "node17";
  meta.executable = "/opt/app/größer";
  meta.clock = ClockKind::monotonic_raw;
  meta.domain = 0xfedcba9876543210;
  meta.is_finalized = true;
  meta.losses[static_cast<std::size_t>(Loss::ring_full)] = 12;
  meta.losses[static_cast<std::size_t>(Loss::damaged)] = 1;
  meta.counters_per_event = 3;
  meta.anchors = {{AnchorPhase::start, 100, 130, -5, 1'700'000'000'000'000'000}, {AnchorPhase::finish, 900, 931, 7, 8}};
  meta.exchanges = {{1, AnchorPhase::start, 10, 20, 30, 40}, {2, AnchorPhase::epoch, 11, 21, 31, ~0ull}};
  meta.comms = {{.birth = {0xabc, 0, 1, 0, 8, 3, 0, 0, 0}, .call = 0, .thread = 0, .enter_ticks = 5, .leave_ticks = 5},
                {.birth = {0xdef, 0xabc, 2, 3, 4, 1, 4, 0, 0x77},
                 .call = static_cast<std::uint32_t>(CallId::Comm_split),
                 .thread = 1,
                 .enter_ticks = 50,
                 .leave_ticks = 60}};
  meta.members = {{0xdef, 60, false, {3, 1, -1}}, {0xdef, 60, true, {}}, {0xdef, 61, true, {7}}};
  meta.texts = {
      {"mpi_library", "Open MPI", 0, 5}, {"comm.name", std::string("a\0b", 3), 0xdef, 6}, {"empty", "", 0, 7}};
  meta.usages = {{60, {1, 0, 10, 20, 30, 40, 50, 60, 0, 70}}, {90, {0, 3, 11, 21, 31, 41, 51, 61, 1ull << 40, 71}}};
  meta.user_definitions = {{1, UserKind::region, "region", "solve", ""},
                           {3, UserKind::event, "pool", "STEAL", "thief:i64 why:text"}};
  meta.lock_counts = {{1, LockKind::mutex, 0x601000, 77}, {2, LockKind::semaphore, 0, ~0ull}};
  meta.stacks = {{0, 0}, {0, kStackDeeper}, {1, 0x400100}, {2, 0x7f0000001234}};
  meta.overheads = {{OverheadKind::flush_wait, 1, 70, 90, 4}};
  for (std::size_t i = 0; i < batches; ++i) {
    const auto thread = static_cast<std::uint32_t>(i % 3);
    if (i < 3)
      meta.threads.push_back({thread, 4711 + static_cast<std::int32_t>(i), 90 + i, 0, 950 + i, 2, 0x401000 + i});
    sample.batches.emplace_back(ThreadId{thread}, sample_batch(i, events, meta.counters_per_event));
    meta.threads[i % 3].events += events;
  }
  return sample;
}

inline Status write_sample(const std::filesystem::path& path, const Sample& sample) {
  MERIDIAN_TRY(RankFileWriter file, RankFileWriter::create(path));
  for (const auto& [thread, batch] : sample.batches) MERIDIAN_TRY_DO(file.append(thread, batch));
  return file.finish(sample.meta);
}

template <class Row>
bool same_bytes(const std::vector<Row>& a, const std::vector<Row>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Row)) == 0);
}

inline bool is_same(const EventBatch& a, const EventBatch& b) {
  return a.enter_ticks == b.enter_ticks && a.leave_ticks == b.leave_ticks && a.call == b.call &&
         a.payload == b.payload && a.flags == b.flags && a.completion_count == b.completion_count &&
         same_bytes(a.p2p, b.p2p) && same_bytes(a.coll, b.coll) && same_bytes(a.completions, b.completions) &&
         same_bytes(a.rma, b.rma) && same_bytes(a.io, b.io) && same_bytes(a.handles, b.handles) && a.sites == b.sites &&
         a.nodes == b.nodes && same_bytes(a.user, b.user) && a.user_values == b.user_values &&
         a.counters == b.counters && a.counters_between == b.counters_between;
}

/// Everything but `segments` and the numbers of calls, which the writer makes.
inline bool is_same(const RankMeta& a, const RankMeta& b) {
  const auto is_same_comm = [](const CommRow& x, const CommRow& y) {
    return std::memcmp(&x.birth, &y.birth, sizeof x.birth) == 0 && x.thread == y.thread &&
           x.enter_ticks == y.enter_ticks && x.leave_ticks == y.leave_ticks;
  };
  const auto is_same_members = [](const MembersRow& x, const MembersRow& y) {
    return x.comm == y.comm && x.born_ticks == y.born_ticks && x.remote == y.remote && x.world_ranks == y.world_ranks;
  };
  const auto is_same_text = [](const TextRow& x, const TextRow& y) {
    return x.key == y.key && x.value == y.value && x.handle == y.handle && x.ticks == y.ticks;
  };
  const auto all = [](const auto& x, const auto& y, auto equal) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
  };
  const auto is_same_overhead = [](const OverheadRow& x, const OverheadRow& y) {
    return x.kind == y.kind && x.thread == y.thread && x.enter_ticks == y.enter_ticks &&
           x.leave_ticks == y.leave_ticks && x.count == y.count;
  };
  const auto is_same_count = [](const LockCountRow& x, const LockCountRow& y) {
    return x.thread == y.thread && x.kind == y.kind && x.object == y.object && x.count == y.count;
  };
  return a.version == b.version && a.rank == b.rank && a.size == b.size && a.pid == b.pid && a.hostname == b.hostname &&
         a.executable == b.executable && a.clock == b.clock && a.domain == b.domain &&
         a.is_finalized == b.is_finalized && a.losses == b.losses && a.counters_per_event == b.counters_per_event &&
         same_bytes(a.anchors, b.anchors) &&
         all(a.exchanges, b.exchanges,
             [](const auto& x, const auto& y) {
               return x.peer == y.peer && x.phase == y.phase && x.sent_ticks == y.sent_ticks &&
                      x.received_ticks == y.received_ticks && x.replied_ticks == y.replied_ticks &&
                      x.returned_ticks == y.returned_ticks;
             }) &&
         all(a.user_definitions, b.user_definitions,
             [](const auto& x, const auto& y) {
               return x.id == y.id && x.kind == y.kind && x.level == y.level && x.name == y.name &&
                      x.fields == y.fields;
             }) &&
         all(a.comms, b.comms, is_same_comm) && all(a.members, b.members, is_same_members) &&
         all(a.texts, b.texts, is_same_text) && all(a.overheads, b.overheads, is_same_overhead) &&
         same_bytes(a.usages, b.usages) && same_bytes(a.threads, b.threads) &&
         all(a.lock_counts, b.lock_counts, is_same_count) &&
         all(a.stacks, b.stacks,
             [](const StackRow& x, const StackRow& y) { return x.parent == y.parent && x.address == y.address; });
}

}  // namespace meridian::test
