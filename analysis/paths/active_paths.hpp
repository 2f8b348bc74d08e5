// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "analysis/walk/location_states.hpp"

namespace meridian {

/// The active path of each thread (F. Giraldeau, M. Dagenais, "Wait analysis of distributed systems using kernel tracing",
/// IEEE TPDS 27, 2016): where a thread waits, the path follows the thread that ends the wait, and while that one waits the
/// one that ends its wait. At each moment that is one thread, which does not wait. A thread that has not begun yet is
/// represented by the thread that made it.
class ActivePaths {
 public:
  /// For [begin_ns, end_ns] the path of a thread was on a thread.
  using Sink =
      std::function<void(std::uint32_t location, std::uint32_t on, std::int64_t begin_ns, std::int64_t end_ns)>;

  /// lives  a beginning that is unknown is told by begin()
  ActivePaths(std::span<const LocationLife> lives, Sink sink);

  /// In order of time: the thread's first event; nothing for a thread whose beginning is in `lives`.
  void begin(std::uint32_t location, std::int64_t ns);
  /// In order of the calls that waited; the thread's next event does not come before the wait's end.
  void wait(const WaitSpan& wait);
  /// The thread does nothing after t.
  void end(std::uint32_t location, std::int64_t t);
  /// All changes until t have been reported by begin() and wait().
  void advance(std::int64_t t);

 private:
  enum class What : std::uint8_t { wait_ends, thread_begins, wait_begins };
  struct Change {
    std::int64_t ns = 0;
    What what{};
    std::uint32_t location = 0;
    std::uint32_t causer = 0;
    bool operator>(const Change& right) const {
      return ns != right.ns ? ns > right.ns : what != right.what ? what > right.what : location > right.location;
    }
  };
  struct Thread {
    bool is_alive = false;
    std::uint32_t waits_for = kNoLocation;
    std::uint32_t active = 0;  // at the end of the chain of waits
    std::int64_t since_ns = 0;
    std::size_t place = 0;  // among the waiters of the thread that it waits for
    std::vector<std::uint32_t> waiters{};
  };
  void set_active(std::uint32_t location, std::uint32_t active, std::int64_t ns);
  void follow(std::uint32_t location, std::uint32_t causer, std::int64_t ns);
  void stop_following(std::uint32_t location, std::int64_t ns);

  std::vector<Thread> threads_;
  std::vector<std::uint32_t> open_;  // threads whose active one is being set
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  Sink sink_;
};

}  // namespace meridian
