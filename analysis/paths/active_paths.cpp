// SPDX-License-Identifier: Apache-2.0
#include "analysis/paths/active_paths.hpp"

#include <algorithm>
#include <utility>

namespace meridian {

ActivePaths::ActivePaths(std::span<const LocationLife> lives, Sink sink)
    : threads_(lives.size()), sink_{std::move(sink)} {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) threads_[i].active = i;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const LocationLife& life = lives[i];
    if (life.begin_ns == kUnknownTime) continue;
    changes_.push({life.begin_ns, What::thread_begins, i, i});
    if (life.creator != kNoLocation && life.creator != i) follow(i, life.creator, life.begin_ns);
  }
}

/// Ends a stretch of the thread's path, and of the paths of those that wait for it.
void ActivePaths::set_active(std::uint32_t location, std::uint32_t active, std::int64_t ns) {
  open_.assign(1, location);
  while (!open_.empty()) {
    const std::uint32_t next = open_.back();
    open_.pop_back();
    Thread& thread = threads_[next];
    if (thread.is_alive && ns > thread.since_ns) sink_(next, thread.active, thread.since_ns, ns);
    thread.since_ns = ns;
    thread.active = active;
    open_.insert(open_.end(), thread.waiters.begin(), thread.waiters.end());
  }
}

void ActivePaths::follow(std::uint32_t location, std::uint32_t causer, std::int64_t ns) {
  // Threads that wait for each other: nobody is known to end the wait.
  if (threads_[location].waits_for != kNoLocation || threads_[causer].active == location) return;
  threads_[location].waits_for = causer;
  threads_[location].place = threads_[causer].waiters.size();
  threads_[causer].waiters.push_back(location);
  set_active(location, threads_[causer].active, ns);
}

void ActivePaths::stop_following(std::uint32_t location, std::int64_t ns) {
  const std::uint32_t causer = std::exchange(threads_[location].waits_for, kNoLocation);
  if (causer == kNoLocation) return;
  std::vector<std::uint32_t>& waiters = threads_[causer].waiters;
  const std::size_t place = threads_[location].place;
  threads_[waiters.back()].place = place;
  waiters[place] = waiters.back();
  waiters.pop_back();
  set_active(location, location, ns);
}

void ActivePaths::begin(std::uint32_t location, std::int64_t ns) {
  changes_.push({ns, What::thread_begins, location, location});
}

void ActivePaths::wait(const WaitSpan& wait) {
  changes_.push({wait.begin_ns, What::wait_begins, wait.location, wait.causer});
  changes_.push({wait.end_ns, What::wait_ends, wait.location, wait.causer});
}

void ActivePaths::advance(std::int64_t t) {
  for (; !changes_.empty() && changes_.top().ns <= t; changes_.pop()) {
    const Change& change = changes_.top();
    Thread& thread = threads_[change.location];
    switch (change.what) {
      case What::thread_begins:
        stop_following(change.location, change.ns);
        thread.is_alive = true;
        thread.since_ns = change.ns;
        break;
      case What::wait_begins:
        follow(change.location, change.causer, change.ns);
        break;
      case What::wait_ends:
        stop_following(change.location, change.ns);
    }
  }
}

void ActivePaths::end(std::uint32_t location, std::int64_t t) {
  advance(t);
  Thread& thread = threads_[location];
  if (thread.is_alive && t > thread.since_ns) sink_(location, thread.active, thread.since_ns, t);
  thread.is_alive = false;
}

}  // namespace meridian
