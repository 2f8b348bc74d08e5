// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/walk/location_states.hpp"
#include "analysis/walk/number_table.hpp"
#include "analysis/walk/ready_times.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// Kinds of events that end waits.
enum class WaitFor : std::uint8_t { message, collective, other_rank, thread };
inline constexpr std::size_t kWaitForCount = 4;

/// A change of the run: what costs nothing.
struct Scenario {
  enum class Waits : std::uint8_t {
    replayed,  ///< they last until what ends them happens in the replay
    free       ///< they cost nothing
  };
  std::array<Waits, kWaitForCount> waits{};     ///< by WaitFor
  std::array<bool, kStateCount> is_free{};      ///< by LocationState: the time in a call besides its waits
  bool has_processor = false;                   ///< computing takes no longer for lack of a processor
  static Scenario network();                    ///< MPI calls take no time besides their waits
  static Scenario without_waits(WaitFor what);  ///< such waits cost nothing
  static Scenario without(LocationState state);
  bool waits_are_free(WaitFor what) const { return waits[static_cast<std::size_t>(what)] == Waits::free; }
};

/// Executes a run again under several scenarios at once: each thread makes the same calls with the same computing between
/// them, and each call ends when the calls that it depends on have begun and its own share of the time has passed.
/// Under a scenario without changes every call has its own times again.
///
/// Events come in global order. A dependency is on the enter of a call that came before the leave of the call that depends
/// on it; others are ignored. Memory is bounded by the threads and by the messages and collectives under way.
class Replay {
 public:
  /// `ready` outlives this; null: it is not known.
  Replay(std::vector<Scenario> scenarios, std::size_t locations, const ReadyTimes* ready = nullptr);

  std::size_t scenarios() const noexcept { return scenarios_.size(); }
  /// A thread begins at t, like the thread that made it; kNoLocation: as in the run.
  void begin(std::uint32_t location, std::int64_t t, std::uint32_t creator);
  bool is_begun(std::uint32_t location) const { return threads_[location].is_begun; }

  /// A call begins; the one before it has ended. Then come its dependencies. outside_ns: of MergedEvent, comes first.
  void enter(std::uint32_t location, std::int64_t enter_ns, std::int64_t leave_ns, LocationState state,
             std::int64_t outside_ns = 0);
  /// The same for a call in a callback of another thread's call.
  void enter_inside(std::uint32_t location, std::uint32_t outer, std::int64_t enter_ns, std::int64_t leave_ns,
                    LocationState state);
  /// The call ends when it ended in the run.
  void keep(std::uint32_t location) { threads_[location].is_kept = true; }
  void send(std::uint32_t location, std::uint64_t message, bool is_blocking, bool is_synchronous);
  void post(std::uint32_t location, std::uint64_t message);
  void receive(std::uint32_t location, std::uint64_t message);
  void enter_collective(std::uint32_t location, const MergedPart& part);
  void leave_collective(std::uint32_t location, const MergedPart& part);
  /// A wait that neither messages nor collectives explain.
  void wait(const WaitSpan& wait, WaitFor what);
  /// Scenarios under which computing on the thread costs nothing from now on: bit s for scenario s.
  void set_free(std::uint32_t location, std::uint64_t scenarios) { threads_[location].free_scenarios = scenarios; }

  /// Time in the replay at which the thread is where it was at t in the run, by scenario; t is not before the thread's
  /// last event.
  std::span<const std::int64_t> at(std::uint32_t location, std::int64_t t);
  /// Enter of the call between threads in which the thread still waits at t; otherwise t.
  std::int64_t busy_until(std::uint32_t location, std::int64_t t) const;
  /// Leave of the thread's last call.
  std::int64_t leave_ns(std::uint32_t location) const { return threads_[location].leave_ns; }
  /// Under one scenario all threads and all that is under way are at t again, as in the run. All calls that begin before
  /// t have been reported.
  void restart(std::size_t scenario, std::int64_t t);
  /// Messages and collectives under way.
  std::size_t under_way() const noexcept { return messages_.size() + instances_.size(); }

 private:
  using Times = std::uint32_t;  // number of a row of pool_
  static constexpr Times kNoTimes = UINT32_MAX;

  struct Needs {  // of an open call
    std::vector<std::uint64_t> received{}, sent{};
    std::vector<MergedPart> left{};
    struct Other {
      std::int64_t end_ns = 0;
      Times times = kNoTimes;  // kNoTimes: the wait has not ended yet
      WaitFor what{};
    };
    std::vector<Other> others{};
  };
  struct Thread {
    bool is_begun = false, is_open = false, is_kept = false;
    LocationState state{};
    std::int64_t enter_ns = 0, leave_ns = 0;  // of the last call; equal where it has ended
    std::uint64_t free_scenarios = 0;
    Needs needs{};
  };
  struct Message {
    std::int64_t send_ns = 0, post_ns = 0;
    Times send = kNoTimes, post = kNoTimes;
    bool is_synchronous = false;
    std::uint8_t open_ends = 2;
  };
  struct Instance {
    std::uint64_t left = 0;
    std::int64_t latest_ns = kUnknownTime, root_ns = kUnknownTime;
    Times latest = kNoTimes, root = kNoTimes;
    struct Lower {
      std::int32_t comm_rank = 0;
      std::int64_t ns = 0;
      Times times = kNoTimes;
    };
    std::vector<Lower> prefix{};
  };
  struct PendingWait {
    WaitSpan span;
    std::size_t other = 0;  // of Needs::others
    bool operator>(const PendingWait& right) const { return span.end_ns > right.span.end_ns; }
  };

  std::int64_t* row(Times times) { return &pool_[times * scenarios_.size()]; }
  Times take();
  Times take(std::span<const std::int64_t> values);
  void give(Times& times);
  std::span<std::int64_t> now(std::uint32_t location) {
    return std::span{now_}.subspan(location * scenarios_.size(), scenarios_.size());
  }
  void open(Thread& thread, std::int64_t enter_ns, std::int64_t leave_ns, LocationState state);
  void close(std::uint32_t location);
  void end_waits(std::int64_t t);
  void depend(std::int64_t ns, Times times, WaitFor what, std::int64_t t);
  void depend_on_part(const MergedPart& part, std::int64_t t);
  void evaluate(std::uint32_t location, std::int64_t t);
  void forget_message(std::uint64_t number);

  std::vector<Scenario> scenarios_;
  const ReadyTimes* ready_;
  std::vector<Thread> threads_;
  std::vector<std::int64_t> now_;         // [location, scenario]: in an open call its enter, otherwise the last leave
  std::vector<std::int64_t> out_, base_;  // [scenario]: result of evaluate(), and the run's time that it stands for
  std::vector<std::int64_t> pool_;
  std::vector<Times> free_;
  NumberTable<Message> messages_;
  std::unordered_map<std::uint64_t, Instance> instances_;
  std::priority_queue<PendingWait, std::vector<PendingWait>, std::greater<>> waits_;
};

}  // namespace meridian
