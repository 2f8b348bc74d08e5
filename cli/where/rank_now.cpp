#include "cli/where/rank_now.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "merger/load/load_ranks.hpp"
#include "merger/match/call_roles.hpp"
#include "trace/ring/ring_file.hpp"
#include "writer/finish_rank.hpp"
#include "writer/places.hpp"
#include "writer/recover.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// Reads a rank's events in order and keeps what matters now.
class Follower {
 public:
  void take(std::uint32_t thread, const EventBatch& batch) {
    Rows rows;
    for (std::size_t i = 0; i < batch.call.size(); ++i) take_call(threads_[thread], batch, i, rows);
  }

  RankNow finish(RankMeta meta, bool is_alive) {
    RankNow now;
    now.is_alive = is_alive;
    for (auto& [number, thread] : threads_) {
      thread.thread = number;
      for (const ThreadRow& row : meta.threads)
        if (row.thread == number) thread.kernel_tid = row.kernel_tid;
      thread.is_alive =
          is_alive ? fs::exists(fmt::format("/proc/{}/task/{}", meta.pid, thread.kernel_tid)) : number == 0;
      if (thread.call == CallId::Finalize && !meta.comms.empty())  // nobody leaves it alone
        thread.waits.push_back({WaitedFor::Kind::collective, CallId::Finalize, meta.comms.front().birth.comm,
                                thread.since_ticks, kAnySource, kAnyTag});
      now.threads.push_back(std::move(thread));
    }
    now.meta = std::move(meta);
    set_times(now);
    return now;
  }

 private:
  struct Rows {
    std::size_t p2p = 0, coll = 0, completions = 0;
  };

  void take_call(ThreadNow& thread, const EventBatch& batch, std::size_t i, Rows& rows) {
    const CallId call = batch.call[i];
    const Payload payload = batch.payload[i];
    const bool is_open = (batch.flags[i] & kFlagUnfinished) != 0;
    const std::uint64_t enter = batch.enter_ticks[i];
    const std::size_t first_side = rows.p2p, sides = payload == Payload::sendrecv ? 2 : payload == Payload::p2p ? 1 : 0;
    const std::size_t first_completion = rows.completions;
    rows.p2p += sides;
    rows.completions += batch.completion_count[i];
    const bool has_coll = payload == Payload::coll;
    const std::size_t coll = rows.coll;
    rows.coll += has_coll ? 1 : 0;

    ++thread.calls;
    thread.call = is_open ? call : CallId::none;
    thread.since_ticks = is_open ? enter : batch.leave_ticks[i];
    last_ticks_ = std::max(last_ticks_, thread.since_ticks);
    if (is_open) thread.is_one_enough = waits_for_one(call);

    for (std::size_t side = 0; side < sides && first_side + side < batch.p2p.size(); ++side)
      take_side(thread, call, enter, batch.p2p[first_side + side], is_sent(call, side), is_open);
    if (has_coll && coll < batch.coll.size()) {
      const Collective& row = batch.coll[coll];
      add({WaitedFor::Kind::collective, call, row.comm, enter, kAnySource, kAnyTag}, thread, row.request, is_open);
    }
    if (payload != Payload::requests) return;
    for (std::size_t k = first_completion; k < std::min(rows.completions, batch.completions.size()); ++k)
      take_request(thread, call, batch.completions[k].request, is_open);
  }

  void take_side(ThreadNow& thread, CallId call, std::uint64_t enter, const PointToPoint& row, bool is_send,
                 bool is_open) {
    const Role role = role_of(call).role;
    if (row.peer == kProcNull || role == Role::mrecv || role == Role::imrecv) return;
    add({is_send ? WaitedFor::Kind::send : WaitedFor::Kind::receive, call, row.comm, enter, row.peer, row.tag}, thread,
        row.request, is_open);
  }

  void add(const WaitedFor& what, ThreadNow& thread, std::uint64_t request, bool is_open) {
    if (is_open && is_blocking(what.call))
      thread.waits.push_back(what);
    else if (!is_open && request != 0)
      requests_[request] = what;
  }

  void take_request(ThreadNow& thread, CallId call, std::uint64_t request, bool is_open) {
    const auto found = requests_.find(request);
    if (found == requests_.end()) return;
    const Role role = role_of(call).role;
    if (is_open) {
      if (is_blocking(call)) thread.waits.push_back(found->second);
    } else if (role == Role::request_free || (role == Role::complete && !is_persistent(found->second.call))) {
      requests_.erase(found);
    }
  }

  /// Does not return before others have acted.
  static bool is_blocking(CallId call) {
    switch (call) {
      case CallId::Wait:
      case CallId::Waitall:
      case CallId::Waitany:
      case CallId::Waitsome:
      case CallId::Probe:
      case CallId::Mprobe:
        return true;
      default:
        break;
    }
    const Role role = role_of(call).role;
    return role == Role::send || role == Role::receive || role == Role::sendrecv || role == Role::collective;
  }
  static bool is_persistent(CallId call) {
    const Role role = role_of(call).role;
    return role == Role::send_init || role == Role::recv_init || role == Role::psend_init || role == Role::precv_init ||
           role == Role::collective_init;
  }
  static bool is_sent(CallId call, std::size_t side) {
    switch (role_of(call).role) {
      case Role::send:
      case Role::isend:
      case Role::send_init:
      case Role::psend_init:
        return true;
      case Role::sendrecv:
      case Role::isendrecv:
        return side == 0;
      default:
        return false;
    }
  }
  static bool waits_for_one(CallId call) { return call == CallId::Waitany || call == CallId::Waitsome; }

  void set_times(RankNow& now) const {
    if (now.meta.anchors.empty()) return;
    const AnchorRow& first = now.meta.anchors.front();
    const AnchorRow& last = now.meta.anchors.back();
    double ns_per_tick = now.meta.clock == ClockKind::tsc ? 0 : 1;
    if (now.meta.clock == ClockKind::tsc && last.before_ticks > first.before_ticks)
      ns_per_tick = static_cast<double>(last.monotonic_ns - first.monotonic_ns) /
                    static_cast<double>(last.before_ticks - first.before_ticks);
    if (ns_per_tick == 0) return;
    const AnchorRow& anchor = last;
    const auto realtime = [&](std::uint64_t ticks) {
      return anchor.realtime_ns +
             static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks - anchor.before_ticks)) *
                                       ns_per_tick);
    };
    for (ThreadNow& thread : now.threads) thread.since_realtime_ns = realtime(thread.since_ticks);
    now.last_realtime_ns = std::max(realtime(last_ticks_), last.realtime_ns);
  }

  std::map<std::uint32_t, ThreadNow> threads_;
  std::map<std::uint64_t, WaitedFor> requests_;  // that are not known to have ended
  std::uint64_t last_ticks_ = 0;
};

Result<RankNow> from_ring(const RingNote& note, const fs::path& directory) {
  MERIDIAN_TRY(const RingFile ring, RingFile::open(note.ring, RingFile::Access::read_only));
  const bool is_alive = ring.is_process_alive();
  RankMeta meta;
  Follower follower;
  MERIDIAN_TRY_DO(decode_rank(ring, spools_of(note.ring, directory, ring.world_rank()), meta,
                              [&](ThreadId thread, const EventBatch& batch) {
                                follower.take(thread.value, batch);
                                return Status{};
                              }));
  if (meta.rank < 0) return Error{Errc::damaged, fmt::format("'{}' does not know its rank", note.ring.string()), ""};
  return follower.finish(std::move(meta), is_alive);
}

Result<RankNow> from_file(const fs::path& path) {
  MERIDIAN_TRY(RankFile file, RankFile::open(path));
  Follower follower;
  EventBatch batch;
  for (std::size_t i = 0; i < file.meta().segments.size(); ++i) {
    MERIDIAN_TRY_DO(file.read(i, batch));
    follower.take(file.meta().segments[i].thread, batch);
  }
  return follower.finish(file.meta(), false);
}

/// Looks at the ranks of one world, which is a directory; those that cannot be looked at go to `problems`.
Result<std::vector<RankNow>> look_at_world(const fs::path& directory, std::vector<std::string>& problems) {
  std::error_code problem;
  std::set<fs::path> ranks;  // "rank-00003", with what there is of it
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
        now = from_ring(*note, directory);
      } else {
        now = Error{Errc::unsupported, fmt::format("{} runs on host '{}'", rank.filename().string(), note->host), ""};
      }
    }
    if (!now && fs::exists(file_path, problem)) now = from_file(file_path);
    if (now)
      found.push_back(*std::move(now));
    else
      problems.push_back(now.error().what.empty() ? fmt::format("{} is gone", rank.filename().string())
                                                  : now.error().what);
  }
  std::ranges::sort(found, {}, [](const RankNow& now) { return now.meta.rank; });
  return found;
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
                 "name a directory that `meridian run` has made"};
  count_ranks(result.worlds);
  for (std::size_t i = 0; i < by_world.size(); ++i)
    for (RankNow& rank : by_world[i]) {
      place_in_world(rank.meta, static_cast<std::uint32_t>(i), result.worlds[i].first_rank);
      result.ranks.push_back(std::move(rank));
    }
  return result;
}

}  // namespace meridian
