// SPDX-License-Identifier: Apache-2.0
#include "analysis/efficiency/replay.hpp"

#include <algorithm>
#include <utility>

#include "analysis/walk/collective_shape.hpp"

namespace meridian {
namespace {

constexpr std::size_t index(LocationState state) { return static_cast<std::size_t>(state); }

}  // namespace

Scenario Scenario::network() { return without(LocationState::mpi_transfer); }

Scenario Scenario::without_waits(WaitFor what) {
  Scenario scenario;
  scenario.waits[static_cast<std::size_t>(what)] = Waits::free;
  return scenario;
}

Scenario Scenario::without(LocationState state) {
  Scenario scenario;
  scenario.is_free[index(state)] = true;
  return scenario;
}

Replay::Replay(std::vector<Scenario> scenarios, std::size_t locations, const ReadyTimes* ready)
    : scenarios_{std::move(scenarios)},
      ready_{ready},
      threads_(locations),
      now_(locations * scenarios_.size()),
      out_(scenarios_.size()),
      base_(scenarios_.size()) {}

Replay::Times Replay::take() {
  if (!free_.empty()) {
    const Times times = free_.back();
    free_.pop_back();
    return times;
  }
  const auto times = static_cast<Times>(pool_.size() / scenarios_.size());
  pool_.resize(pool_.size() + scenarios_.size());
  return times;
}

Replay::Times Replay::take(std::span<const std::int64_t> values) {
  const Times times = take();
  std::ranges::copy(values, row(times));
  return times;
}

void Replay::give(Times& times) {
  if (times != kNoTimes) free_.push_back(times);
  times = kNoTimes;
}

void Replay::begin(std::uint32_t location, std::int64_t t, std::uint32_t creator) {
  end_waits(t);
  Thread& thread = threads_[location];
  thread.is_begun = true;
  thread.enter_ns = thread.leave_ns = t;
  if (creator == kNoLocation || !threads_[creator].is_begun) {
    std::ranges::fill(now(location), t);
  } else {
    std::ranges::copy(at(creator, t), now(location).begin());
  }
}

void Replay::open(Thread& thread, std::int64_t enter_ns, std::int64_t leave_ns, LocationState state) {
  thread.is_open = true;
  thread.is_kept = false;
  thread.state = state;
  thread.enter_ns = enter_ns;
  thread.leave_ns = std::max(enter_ns, leave_ns);
}

void Replay::enter(std::uint32_t location, std::int64_t enter_ns, std::int64_t leave_ns, LocationState state,
                   std::int64_t outside_ns) {
  end_waits(enter_ns);
  Thread& thread = threads_[location];
  if (!thread.is_begun) begin(location, enter_ns, kNoLocation);
  close(location);
  enter_ns += outside_ns;
  evaluate(location, enter_ns);
  std::ranges::copy(out_, now(location).begin());
  open(thread, std::max(enter_ns, thread.leave_ns), leave_ns, state);
}

void Replay::enter_inside(std::uint32_t location, std::uint32_t outer, std::int64_t enter_ns, std::int64_t leave_ns,
                          LocationState state) {
  end_waits(enter_ns);
  close(location);
  evaluate(outer, enter_ns);
  std::ranges::copy(out_, now(location).begin());
  threads_[location].is_begun = true;
  open(threads_[location], enter_ns, leave_ns, state);
}

void Replay::send(std::uint32_t location, std::uint64_t message, bool is_blocking, bool is_synchronous) {
  Message& entry = messages_[message];
  entry.send_ns = threads_[location].enter_ns;
  entry.send = take(now(location));
  entry.is_synchronous = is_synchronous;
  if (is_blocking)
    threads_[location].needs.sent.push_back(message);
  else
    --entry.open_ends;
}

void Replay::post(std::uint32_t location, std::uint64_t message) {
  Message& entry = messages_[message];
  entry.post_ns = threads_[location].enter_ns;
  entry.post = take(now(location));
}

void Replay::receive(std::uint32_t location, std::uint64_t message) {
  (void)messages_[message];
  threads_[location].needs.received.push_back(message);
}

void Replay::enter_collective(std::uint32_t location, const MergedPart& part) {
  Instance& instance = instances_[part.instance];
  const std::int64_t ns = threads_[location].enter_ns;
  const auto values = now(location);
  if (shape_of(part) == CollectiveShape::none) return;
  if (shape_of(part) == CollectiveShape::prefix) {
    instance.prefix.push_back({part.comm_rank, ns, take(values)});
    return;
  }
  if (shape_of(part) == CollectiveShape::one_to_all) {
    if (part.comm_rank != part.root) return;
    instance.root_ns = ns;
    instance.root = take(values);
    return;
  }
  instance.latest_ns = std::max(instance.latest_ns, ns);
  if (instance.latest == kNoTimes) {
    instance.latest = take(values);
    return;
  }
  std::int64_t* const latest = row(instance.latest);
  for (std::size_t s = 0; s < values.size(); ++s) latest[s] = std::max(latest[s], values[s]);
}

void Replay::leave_collective(std::uint32_t location, const MergedPart& part) {
  threads_[location].needs.left.push_back(part);
}

void Replay::wait(const WaitSpan& wait, WaitFor what) {
  auto& others = threads_[wait.location].needs.others;
  waits_.push({wait, others.size()});
  others.push_back({wait.end_ns, kNoTimes, what});
}

/// Waits that end before t take the time of the thread that ended them.
void Replay::end_waits(std::int64_t t) {
  while (!waits_.empty() && waits_.top().span.end_ns <= t) {
    const PendingWait pending = waits_.top();
    waits_.pop();
    if (!threads_[pending.span.causer].is_begun) continue;
    evaluate(pending.span.causer, pending.span.end_ns);
    const Times times = take(out_);
    threads_[pending.span.location].needs.others[pending.other].times = times;
  }
}

/// Adds a dependency to out_ and base_.
void Replay::depend(std::int64_t ns, Times times, WaitFor what, std::int64_t t) {
  if (times == kNoTimes || ns > t) return;
  const std::int64_t* const values = row(times);
  for (std::size_t s = 0; s < out_.size(); ++s) {
    const Scenario::Waits waits = scenarios_[s].waits[static_cast<std::size_t>(what)];
    base_[s] = std::max(base_[s], ns);
    if (waits == Scenario::Waits::replayed) out_[s] = std::max(out_[s], values[s]);
  }
}

void Replay::depend_on_part(const MergedPart& part, std::int64_t t) {
  const auto found = instances_.find(part.instance);
  if (found == instances_.end() || shape_of(part) == CollectiveShape::none) return;
  const Instance& instance = found->second;
  if (shape_of(part) == CollectiveShape::all_to_all ||
      (shape_of(part) == CollectiveShape::all_to_one && part.comm_rank == part.root))
    depend(instance.latest_ns, instance.latest, WaitFor::collective, t);
  if (shape_of(part) == CollectiveShape::one_to_all && part.comm_rank != part.root)
    depend(instance.root_ns, instance.root, WaitFor::collective, t);
  if (shape_of(part) == CollectiveShape::prefix)
    for (const Instance::Lower& lower : instance.prefix)
      if (lower.comm_rank < part.comm_rank) depend(lower.ns, lower.times, WaitFor::collective, t);
}

/// Fills in out_ for a thread at t of the run.
void Replay::evaluate(std::uint32_t location, std::int64_t t) {
  Thread& thread = threads_[location];
  const auto values = now(location);
  std::ranges::copy(values, out_.begin());
  std::int64_t from_ns = thread.leave_ns;
  if (thread.is_open) {
    const std::int64_t until_ns = std::min(t, thread.leave_ns);
    std::ranges::fill(base_, std::min(thread.enter_ns, until_ns));
    for (const std::uint64_t number : thread.needs.received) {
      const Message& message = messages_[number];
      depend(message.send_ns, message.send, WaitFor::message, until_ns);
    }
    for (const std::uint64_t number : thread.needs.sent) {
      const Message& message = messages_[number];
      if (message.is_synchronous || message.post_ns > thread.enter_ns)
        depend(message.post_ns, message.post, WaitFor::message, until_ns);
    }
    for (const MergedPart& part : thread.needs.left) depend_on_part(part, until_ns);
    for (const Needs::Other& other : thread.needs.others) depend(other.end_ns, other.times, other.what, until_ns);
    for (std::size_t s = 0; s < out_.size(); ++s) {
      if (thread.is_kept)
        out_[s] = until_ns;
      else if (!scenarios_[s].is_free[index(thread.state)])
        out_[s] += until_ns - base_[s];
    }
    from_ns = until_ns;
    if (t <= thread.leave_ns) return;
  }
  if (t <= from_ns) return;
  const std::int64_t ready_ns = ready_ == nullptr ? 0 : ready_->between(location, from_ns, t);
  for (std::size_t s = 0; s < out_.size(); ++s)
    if ((thread.free_scenarios >> s & 1) == 0) out_[s] += t - from_ns - (scenarios_[s].has_processor ? ready_ns : 0);
}

void Replay::forget_message(std::uint64_t number) {
  Message* const found = messages_.find(number);
  if (found == nullptr || --found->open_ends != 0) return;
  give(found->send);
  give(found->post);
  messages_.erase(number);
}

/// The thread's last call ends.
void Replay::close(std::uint32_t location) {
  Thread& thread = threads_[location];
  if (!thread.is_open) return;
  end_waits(thread.leave_ns);
  evaluate(location, thread.leave_ns);
  std::ranges::copy(out_, now(location).begin());
  thread.is_open = false;
  thread.enter_ns = thread.leave_ns;
  Needs& needs = thread.needs;
  for (const std::uint64_t number : needs.received) forget_message(number);
  for (const std::uint64_t number : needs.sent) forget_message(number);
  for (const MergedPart& part : needs.left) {
    const auto found = instances_.find(part.instance);
    if (found == instances_.end() || ++found->second.left != static_cast<std::uint64_t>(part.parts)) continue;
    give(found->second.latest);
    give(found->second.root);
    for (Instance::Lower& lower : found->second.prefix) give(lower.times);
    instances_.erase(found);
  }
  for (Needs::Other& other : needs.others) give(other.times);
  needs.received.clear();
  needs.sent.clear();
  needs.left.clear();
  needs.others.clear();
}

std::span<const std::int64_t> Replay::at(std::uint32_t location, std::int64_t t) {
  end_waits(t);
  evaluate(location, t);
  return out_;
}

std::int64_t Replay::busy_until(std::uint32_t location, std::int64_t t) const {
  const Thread& thread = threads_[location];
  const bool waits = thread.is_open && thread.state == LocationState::sync_wait && t <= thread.leave_ns;
  return waits ? std::min(t, thread.enter_ns) : t;
}

void Replay::restart(std::size_t scenario, std::int64_t t) {
  end_waits(t);
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    if (!thread.is_begun) continue;
    if (thread.leave_ns <= t) close(i);
    const bool is_free = thread.is_open && scenarios_[scenario].is_free[index(thread.state)];
    now(i)[scenario] = is_free ? t : thread.is_open ? thread.enter_ns : thread.leave_ns;
  }
  for (std::size_t at = scenario; at < pool_.size(); at += scenarios_.size()) pool_[at] = t;
  for (const Thread& thread : threads_)  // waits that are over, in calls that are not
    for (const Needs::Other& other : thread.needs.others)
      if (other.times != kNoTimes) row(other.times)[scenario] = std::min(t, other.end_ns);
}

}  // namespace meridian
