// SPDX-License-Identifier: Apache-2.0
#include "live/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "live/calls_under_way.hpp"
#include "live/process.hpp"
#include "live/rank_tracker.hpp"
#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_container.hpp"
#include "trace/records/finish/finish_rank.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/records/record.hpp"
#include "trace/ring/ring_file.hpp"
#include "trace/ring/ring_note.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenLooks{200};

Result<RankNow> from_ring(const fs::path& note_path, const RingNote& note, const fs::path& directory) {
  MERIDIAN_TRY(const RingFile ring, open_noted_ring(note_path, note, RingFile::Access::read_only));
  const bool is_alive = ring.is_process_alive();
  RankMeta meta;
  RankTracker tracker;
  MERIDIAN_TRY_DO(decode_rank(ring, pieces_of(note.ring, directory, ring.world_rank()), meta,
                              [&](ThreadId thread, const EventBatch& batch) {
                                tracker.take(thread.value, batch);
                                return Status{};
                              }));
  if (meta.rank < 0) return Error{Errc::damaged, fmt::format("'{}' does not contain a rank", note.ring.string()), ""};
  const std::int32_t pid = meta.pid;
  RankNow now = tracker.finish(std::move(meta), is_alive, [&](const WaitedFor& what) {
    return is_alive ? lock_holder(pid, what.object, what.lock) : std::nullopt;
  });
  now.ring = note.ring.string();
  now.writer_pid = ring.header().writer_pid.load(std::memory_order_acquire);
  return now;
}

Result<RankNow> from_file(Result<RankFile> opened) {
  MERIDIAN_TRY(RankFile file, std::move(opened));
  RankTracker tracker;
  EventBatch batch;
  for (std::size_t i = 0; i < file.meta().segments.size(); ++i) {
    MERIDIAN_TRY_DO(file.read(i, batch));
    tracker.take(file.meta().segments[i].thread, batch);
  }
  return tracker.finish(file.meta(), false, [](const WaitedFor&) { return std::nullopt; });
}

/// Adds the ranks in containers, except those that are also `outside`, where packing was interrupted.
void look_into_containers(const fs::path& directory, const std::set<fs::path>& outside, std::vector<RankNow>& found,
                          std::vector<std::string>& problems) {
  for (const fs::path& path : containers_in(directory)) {
    const auto container = RankContainer::open(path);
    if (!container) {
      problems.push_back(container.error().what);
      continue;
    }
    for (const std::string& group : container->groups()) {
      if (outside.contains(directory / group)) continue;
      auto now = from_file(container->rank(group));
      if (now && !has_valid_rank(now->meta))
        now = Error{Errc::damaged, fmt::format("{} does not say which rank it is of", container->name_of(group)), ""};
      if (now)
        found.push_back(*std::move(now));
      else
        problems.push_back(now.error().what);
    }
  }
}

/// Reads the ranks of one world, which is a directory; ranks that cannot be read are added to `problems`.
Result<std::vector<RankNow>> look_at_world(const fs::path& directory, std::vector<std::string>& problems) {
  std::error_code problem;
  std::set<fs::path> ranks;  // ".../rank-00003", without extension
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, problem)) {
    const fs::path name = entry.path().filename();
    if (name.string().starts_with("rank-") && (name.extension() == ".ring" || name.extension() == ".h5"))
      ranks.insert(directory / name.stem());
  }
  if (problem)
    return Error{Errc::not_found, fmt::format("cannot look into '{}': {}", directory.string(), problem.message()), ""};
  std::vector<RankNow> found;
  for (const fs::path& rank : ranks) {
    const fs::path note_path = fs::path{rank} += ".ring", file_path = fs::path{rank} += ".h5";
    Result<RankNow> now = Error{Errc::not_found, "", ""};
    if (const auto note = read_ring_note(note_path)) {
      if (note->host == own_hostname()) {
        now = from_ring(note_path, *note, directory);
      } else {
        now = Error{Errc::unsupported, fmt::format("{} runs on host '{}'", rank.filename().string(), note->host), ""};
      }
    }
    if (!now && fs::exists(file_path, problem)) now = from_file(RankFile::open(file_path));
    if (now && !has_valid_rank(now->meta))
      now = Error{Errc::damaged, fmt::format("{} does not say which rank it is of", rank.filename().string()), ""};
    if (now)
      found.push_back(*std::move(now));
    else
      problems.push_back(now.error().what.empty() ? fmt::format("{} is gone", rank.filename().string())
                                                  : now.error().what);
  }
  look_into_containers(directory, ranks, found, problems);
  std::ranges::sort(found, {}, [](const RankNow& now) { return now.meta.rank; });
  return found;
}

/// Where the complete records of each thread end.
using RecordEnds = std::map<std::uint32_t, std::uint64_t>;

RecordEnds record_ends(const RingFile& ring) {
  RecordEnds ends;
  for (std::uint32_t slot = 0; slot < ring.geometry().slot_count; ++slot)
    ends[ring.slot(slot).thread] += ring.slot(slot).head.load(std::memory_order_acquire);
  return ends;
}

RecordEnds record_ends(const RankNow& rank) {
  if (!rank.is_alive) return {};
  const auto ring = RingFile::open(rank.ring, RingFile::Access::read_only);
  return ring ? record_ends(*ring) : RecordEnds{};
}

void look_again(RankNow& rank, RecordEnds before) {
  const auto ring = RingFile::open(rank.ring, RingFile::Access::read_only);
  rank.is_alive = ring && ring->is_process_alive();
  if (!rank.is_alive) {
    // Threads that were missing from /proc at the first reading ended with the process, not before.
    for (const ThreadRow& row : rank.meta.threads)
      for (ThreadNow& thread : rank.threads)
        if (thread.thread == row.thread) thread.is_alive = row.end_ticks == 0;
    return;
  }
  const auto calls = calls_under_way(*ring);
  RecordEnds ends = record_ends(*ring);
  for (ThreadNow& thread : rank.threads) {
    const auto call = calls.find(thread.recorded_as);
    const bool is_in_call = call != calls.end() && call->second.header.call < kCallCount &&
                            is_call(static_cast<Payload>(call->second.header.payload));
    if (is_in_call && thread.call == static_cast<CallId>(call->second.header.call) &&
        thread.since_ticks == call->second.enter_ticks)
      continue;
    if (thread.call == CallId::none && !is_in_call && before[thread.thread] == ends[thread.thread]) continue;
    thread.call = is_in_call ? static_cast<CallId>(call->second.header.call) : CallId::none;
    thread.since_ticks = is_in_call ? call->second.enter_ticks : 0;
    thread.since_realtime_ns = 0;
    thread.return_address = 0;
    thread.stack_node = 0;
    thread.polls = 0;
    thread.waits.clear();
  }
}

}  // namespace

Result<RanksNow> look_at_ranks(const fs::path& directory, std::vector<std::string>& problems) {
  RanksNow result;
  std::vector<std::vector<RankNow>> by_world;
  for (const fs::path& world : world_directories(directory)) {
    MERIDIAN_TRY(std::vector<RankNow> ranks, look_at_world(world, problems));
    if (ranks.empty()) continue;
    std::int32_t size = 1;
    for (const RankNow& rank : ranks) size = std::max(size, rank.meta.size);
    result.worlds.push_back({0, size, world.string(), -1});
    by_world.push_back(std::move(ranks));
  }
  if (by_world.empty() && problems.empty())
    return Error{Errc::not_found, fmt::format("'{}' holds no trace", directory.string()),
                 "name a directory made by `meridian run`"};
  std::uint64_t present = 0;
  for (const auto& ranks : by_world) present += ranks.size();
  MERIDIAN_TRY_DO(check_sizes(result.worlds, present, directory));
  count_ranks(result.worlds);
  for (std::size_t i = 0; i < by_world.size(); ++i)
    for (RankNow& rank : by_world[i]) {
      place_in_world(rank.meta, static_cast<std::uint32_t>(i), result.worlds[i].first_rank);
      result.ranks.push_back(std::move(rank));
    }
  return result;
}

void look_again(std::vector<RankNow>& ranks) {
  // Kernel tid -> number of context switches, for all threads of each rank.
  using Stops = std::map<std::int32_t, std::optional<std::uint64_t>>;
  const auto stops_of = [](const RankNow& rank) {
    Stops stops;
    if (rank.is_alive)
      for (const std::int32_t tid : threads_of(rank.meta.pid)) stops[tid] = times_stopped(rank.meta.pid, tid);
    return stops;
  };
  std::vector<Stops> before;
  before.reserve(ranks.size());
  std::vector<RecordEnds> ends;
  ends.reserve(ranks.size());
  for (const RankNow& rank : ranks) {
    before.push_back(stops_of(rank));
    ends.push_back(record_ends(rank));
  }
  std::this_thread::sleep_for(kBetweenLooks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].is_alive) look_again(ranks[i], std::move(ends[i]));
    Stops now = stops_of(ranks[i]);
    const auto is_asleep = [&](std::int32_t tid) {
      const auto old = before[i].find(tid);
      return old != before[i].end() && old->second && old->second == now[tid];
    };
    for (ThreadNow& thread : ranks[i].threads) thread.is_asleep = is_asleep(thread.kernel_tid);
    ranks[i].has_others_at_work = std::ranges::any_of(now, [&](const auto& stop) {
      return !is_asleep(stop.first) &&
             std::ranges::find(ranks[i].threads, stop.first, &ThreadNow::kernel_tid) == ranks[i].threads.end();
    });
  }
}

}  // namespace meridian
