// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs with the true time of every call, and the clocks that recorded it.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "merger/repair/repair_streams.hpp"
#include "tests/support/seed.hpp"

namespace meridian {

inline bool operator==(const TimePair& a, const TimePair& b) {
  return a.enter_ns == b.enter_ns && a.leave_ns == b.leave_ns;
}
inline void PrintTo(const TimePair& pair, std::ostream* out) {
  *out << '[' << pair.enter_ns << ", " << pair.leave_ns << ']';
}

}  // namespace meridian

namespace meridian::test {

/// Calls in true time. Every point of a rank has a time of its own; a message takes at least 100 units.
class Program {
 public:
  struct Thread {
    std::int32_t rank = 0;
    std::uint32_t thread = 0;
    std::int64_t now = 0;
    std::vector<TimePair> calls;
  };
  std::vector<Thread> threads;  ///< by rank, then thread
  std::vector<MatchedMessage> messages;
  std::vector<CollectivePart> parts;

  Program(std::int32_t ranks, std::uint32_t threads_per_rank, std::uint64_t seed) : random_{test::seeded(seed)} {
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      for (std::uint32_t thread = 0; thread < threads_per_rank; ++thread)
        threads.push_back({rank, thread, std::int64_t{2} * thread, {}});
    waiting_.resize(threads.size());
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const std::uint64_t kind = below(10);
      if (kind < 4) {
        send_receive(any_thread(), any_thread());
      } else if (kind < 6) {
        send_later_received(any_thread(), any_thread());
      } else if (kind < 7) {
        wait_all(any_thread());
      } else if (kind < 9) {
        local(any_thread());
      } else {
        collective(static_cast<CollectiveShape>(below(5)), below(2) == 0);
      }
    }
    for (std::size_t t = 0; t < threads.size(); ++t) wait_all(t);
  }

  void local(std::size_t t) { (void)call(t, 0); }

  void send_receive(std::size_t from, std::size_t to) {
    const EventRef sent = call(from, 0);
    if (from == to) return;
    const EventRef received = call(to, at(sent).enter_ns + latency());
    messages.push_back({.send = sent, .post = received, .completion = received});
  }

  /// A receive that is posted now and completed by a later wait_all().
  void send_later_received(std::size_t from, std::size_t to) {
    const EventRef posted = call(to, 0);
    const EventRef sent = call(from, 0);
    waiting_[to].push_back({.send = sent, .post = posted, .completion = posted});
  }

  void wait_all(std::size_t t) {
    if (waiting_[t].empty()) return;
    std::int64_t last = 0;
    for (const MatchedMessage& message : waiting_[t]) last = std::max(last, at(message.send).enter_ns + latency());
    const EventRef done = call(t, last);
    for (MatchedMessage& message : waiting_[t]) {
      message.completion = done;
      messages.push_back(message);
    }
    waiting_[t].clear();
  }

  /// Over one thread of every rank, or of every second one.
  void collective(CollectiveShape shape, bool is_blocking) {
    std::vector<std::size_t> members;
    const bool is_whole = below(2) == 0;
    for (std::size_t t = 0; t < threads.size(); ++t)
      if (threads[t].thread == 0 && (is_whole || threads[t].rank % 2 == 0)) members.push_back(t);
    const auto root = static_cast<std::int32_t>(below(members.size()));
    std::vector<EventRef> starts;
    std::vector<std::int64_t> enters;
    for (const std::size_t t : members) {
      starts.push_back(is_blocking ? EventRef{} : call(t, 0));
      enters.push_back(is_blocking ? threads[t].now + 16 : at(starts.back()).enter_ns);
    }
    const std::size_t first = parts.size();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto rank = static_cast<std::int32_t>(i);
      std::int64_t need = 0;
      for (std::size_t k = 0; k < members.size(); ++k)
        if (must_follow(shape, rank, static_cast<std::int32_t>(k), root)) need = std::max(need, enters[k] + latency());
      const EventRef end = is_blocking ? call_at(members[i], enters[i], need) : call(members[i], need);
      parts.push_back({.instance = instances_,
                       .shape = below(8) == 0 ? CollectiveShape::none : shape,  // brings no data
                       .comm_rank = rank,
                       .root = shape == CollectiveShape::one_to_all || shape == CollectiveShape::all_to_one ? root : -1,
                       .parts = static_cast<std::int32_t>(members.size()),
                       .start = is_blocking ? end : starts[i],
                       .completion = end});
    }
    std::shuffle(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end(), random_);
    ++instances_;
  }

  /// Whether the exit of rank `i` must follow the enter of rank `k`.
  static bool must_follow(CollectiveShape shape, std::int32_t i, std::int32_t k, std::int32_t root) {
    switch (shape) {
      case CollectiveShape::all_to_all:
        return k != i;
      case CollectiveShape::one_to_all:
        return k == root && i != root;
      case CollectiveShape::all_to_one:
        return i == root && k != root;
      case CollectiveShape::prefix:
        return k < i;
      case CollectiveShape::none:
        break;
    }
    return false;
  }

  static bool must_follow(const CollectivePart& exit, const CollectivePart& enter) {
    return exit.instance == enter.instance && enter.shape != CollectiveShape::none &&
           must_follow(exit.shape, exit.comm_rank, enter.comm_rank, exit.root);
  }

  TimePair& at(const EventRef& ref) { return thread_of(ref).calls[static_cast<std::size_t>(ref.event)]; }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::size_t any_thread() { return static_cast<std::size_t>(below(threads.size())); }

  /// The same calls on other clocks: `clock(rank, t)`.
  template <class Clock>
  Program by_clock(Clock&& clock) const {
    Program bent = *this;
    for (Thread& thread : bent.threads)
      for (TimePair& pair : thread.calls) pair = {clock(thread.rank, pair.enter_ns), clock(thread.rank, pair.leave_ns)};
    return bent;
  }

 private:
  Thread& thread_of(const EventRef& ref) {
    return *std::find_if(threads.begin(), threads.end(),
                         [&](const Thread& t) { return t.rank == ref.rank && t.thread == ref.thread; });
  }
  /// A call that begins a little later and ends no sooner than `need`.
  EventRef call(std::size_t t, std::int64_t need) {
    return call_at(t, threads[t].now + 16 * (1 + static_cast<std::int64_t>(below(200))), need);
  }
  EventRef call_at(std::size_t t, std::int64_t enter, std::int64_t need) {
    Thread& thread = threads[t];
    const std::int64_t own = 2 * static_cast<std::int64_t>(thread.thread);
    std::int64_t leave = std::max(need, enter + 16 * (1 + static_cast<std::int64_t>(below(30))));
    leave = (leave + 15) / 16 * 16 + own;
    thread.calls.push_back({enter, leave});
    thread.now = leave;
    return {thread.rank, thread.thread, thread.calls.size() - 1};
  }
  std::int64_t latency() { return 100 + static_cast<std::int64_t>(below(100)); }

  std::mt19937_64 random_;
  std::vector<std::vector<MatchedMessage>> waiting_;  // [threads]
  std::uint64_t instances_ = 0;
};

/// The result of a repair, in memory.
struct RepairedProgram {
  Repaired info;
  std::vector<std::vector<TimePair>> calls;  ///< [threads]
  std::vector<MatchedMessage> messages;
  std::vector<CollectivePart> parts;
};

template <class T>
std::vector<T> all_of(TempSpool<T>& spool) {
  std::vector<T> rows(static_cast<std::size_t>(spool.size()));
  if (!spool.read(0, rows)) rows.clear();
  return rows;
}

template <class T>
TempSpool<T> spool_of(const std::vector<T>& rows, const std::shared_ptr<TempFile>& file) {
  TempSpool<T> spool{file};
  for (const T& row : rows) spool.append(row);
  return spool;
}

inline Result<RepairedProgram> repair(const Program& program, const Clocks& clocks = {}) {
  MERIDIAN_TRY(const auto file, TempFile::create(std::filesystem::temp_directory_path()));
  RepairInput input;
  std::uint64_t rows = 0;
  for (const auto& thread : program.threads) {
    input.streams.push_back(
        {thread.rank, thread.thread, static_cast<std::uint32_t>(thread.rank), rows, thread.calls.size()});
    rows += thread.calls.size();
  }
  MERIDIAN_TRY(input.times, MappedArray<TimePair>::create(file->directory(), rows));
  for (std::size_t t = 0; t < program.threads.size(); ++t)
    for (std::size_t e = 0; e < program.threads[t].calls.size(); ++e)
      input.times[input.streams[t].first + e] = program.threads[t].calls[e];
  auto messages = spool_of(program.messages, file);
  auto parts = spool_of(program.parts, file);
  MERIDIAN_TRY(Repaired repaired, repair_streams(std::move(input), clocks, messages, parts, file));
  RepairedProgram result;
  for (StreamTimes& stream : repaired.streams) result.calls.push_back(all_of(stream.times));
  result.messages = all_of(repaired.messages);
  result.parts = all_of(repaired.collectives);
  result.info = std::move(repaired);
  return result;
}

/// All points of a rank, as (clock, result), by clock.
inline std::vector<std::pair<std::int64_t, std::int64_t>> points(const Program& program,
                                                                 const RepairedProgram& repaired, std::int32_t rank) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::size_t t = 0; t < program.threads.size(); ++t)
    for (std::size_t e = 0; program.threads[t].rank == rank && e < program.threads[t].calls.size(); ++e) {
      all.emplace_back(program.threads[t].calls[e].enter_ns, repaired.calls[t][e].enter_ns);
      all.emplace_back(program.threads[t].calls[e].leave_ns, repaired.calls[t][e].leave_ns);
    }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace meridian::test
