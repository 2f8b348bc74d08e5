// SPDX-License-Identifier: Apache-2.0
#include "merger/match/locks/lock_order.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <string_view>

namespace meridian {
namespace {

constexpr std::size_t kMostEdges = 1 << 16;     // further pairs of locks are not compared
constexpr std::size_t kMostNumbers = 1 << 20;   // likewise locks
constexpr std::size_t kMostHeld = 64;           // by one thread
constexpr std::size_t kMostSearches = 1 << 12;  // for cycles
constexpr std::uint32_t kNoNumber = 0xffffffff;

bool is_try(CallId call) { return info(call).name.find("try") != std::string_view::npos; }

}  // namespace

std::uint32_t LockOrder::number_of(const LockObject& object) {
  if (const auto found = numbers_.find(object); found != numbers_.end()) return found->second;
  if (addresses_.size() >= kMostNumbers) return kNoNumber;
  addresses_.push_back(object.address);
  return numbers_[object] = static_cast<std::uint32_t>(addresses_.size() - 1);
}

void LockOrder::add(const Call& call, std::uint32_t path) {
  if (call.payload != Payload::lock || call.call == CallId::none || call.has(kFlagUnfinished)) return;
  const LockUse& use = *call.lock;
  const auto kind = static_cast<LockKind>(use.kind);
  const LockObject object{object_kind(kind), use.object};
  switch (lock_facts(call.call).use) {
    case LockUseKind::birth:
    case LockUseKind::death:
      numbers_.erase(object);
      return;
    case LockUseKind::release:
      sees_releases_ = true;
      return release(call.thread, object);
    case LockUseKind::take:
      break;
    default:
      return;
  }
  if (kind == LockKind::condition) {  // has the mutex again at its end
    if (use.mutex == 0) return;
    const LockObject mutex{LockKind::mutex, use.mutex};
    release(call.thread, mutex);
    return take(call, mutex, path, false, true);
  }
  const bool is_lock =
      kind == LockKind::mutex || kind == LockKind::read || kind == LockKind::write || kind == LockKind::spin;
  if (is_lock && !call.has(kFlagFailed)) take(call, object, path, kind == LockKind::read, !is_try(call.call));
}

void LockOrder::take(const Call& call, const LockObject& object, std::uint32_t path, bool is_read, bool waits) {
  const std::uint32_t lock = number_of(object);
  if (lock == kNoNumber) return;
  std::vector<Held>& held = held_[call.thread];
  if (const auto again = std::ranges::find(held, lock, &Held::lock); again != held.end()) {
    ++again->times;
    return;
  }
  for (const Held& other : held) {
    if (!waits) break;
    if (edges_.size() >= kMostEdges && !edges_.contains({other.lock, lock})) continue;
    const auto [at, is_new] = edges_.try_emplace({other.lock, lock});
    Edge& edge = at->second;
    const auto is_held = [&](std::uint32_t guard) { return std::ranges::find(held, guard, &Held::lock) != held.end(); };
    if (is_new) {
      for (const Held& guard : held)
        if (guard.lock != other.lock) edge.guards.push_back(guard.lock);
    } else {
      std::erase_if(edge.guards, [&](std::uint32_t guard) { return !is_held(guard); });
    }
    if (edge.threads.size() < kMostThreads &&
        std::ranges::find(edge.threads, call.thread, &Example::thread) == edge.threads.end())
      edge.threads.push_back({call.thread, other.path, path});
    edge.reads_held = edge.reads_held && other.is_read;
    edge.reads_taken = edge.reads_taken && is_read;
  }
  if (held.size() >= kMostHeld) held.erase(held.begin());
  held.push_back({lock, path, 1, is_read});
}

void LockOrder::release(std::uint32_t thread, const LockObject& object) {
  const auto number = numbers_.find(object);
  const auto of_thread = held_.find(thread);
  if (number == numbers_.end() || of_thread == held_.end()) return;
  const auto lock = std::ranges::find(of_thread->second, number->second, &Held::lock);
  if (lock != of_thread->second.end() && --lock->times == 0) of_thread->second.erase(lock);
}

/// The edge, and the shortest way from its end back to its beginning; empty: there is none.
std::vector<LockOrder::Edges::const_iterator> LockOrder::shortest_cycle(Edges::const_iterator edge) const {
  const auto [to, from] = edge->first;
  std::map<std::uint32_t, Edges::const_iterator> reached{{from, edge}};
  std::deque<std::uint32_t> open{from};
  while (!open.empty()) {
    const std::uint32_t lock = open.front();
    open.pop_front();
    for (auto next = edges_.lower_bound({lock, 0}); next != edges_.end() && next->first.first == lock; ++next) {
      if (!reached.try_emplace(next->first.second, next).second) continue;
      if (next->first.second != to) {
        open.push_back(next->first.second);
        continue;
      }
      std::vector<Edges::const_iterator> cycle;
      for (auto back = next; back != edge; back = reached.at(back->first.first)) cycle.push_back(back);
      cycle.push_back(edge);
      std::ranges::reverse(cycle);
      return cycle;
    }
  }
  return {};
}

bool LockOrder::is_possible(const std::vector<Edges::const_iterator>& cycle) const {
  std::set<std::uint32_t> threads;
  std::vector<std::uint32_t> guards = cycle.front()->second.guards;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Edge &edge = cycle[i]->second, &next = cycle[(i + 1) % cycle.size()]->second;
    for (const Example& example : edge.threads) threads.insert(example.thread);
    std::erase_if(guards,
                  [&](std::uint32_t guard) { return std::ranges::find(edge.guards, guard) == edge.guards.end(); });
    if (edge.reads_taken && next.reads_held) return false;
  }
  return guards.empty() && threads.size() >= cycle.size();
}

/// Each step with a thread of its own, as far as possible: first those steps that few threads made.
LockCycle LockOrder::described(const std::vector<Edges::const_iterator>& edges) const {
  std::vector<std::size_t> order(edges.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return edges[i]->second.threads.size(); });
  LockCycle cycle(edges.size());
  std::set<std::uint32_t> used;
  for (const std::size_t i : order) {
    const std::vector<Example>& threads = edges[i]->second.threads;
    const auto unused = std::ranges::find_if(threads, [&](const Example& each) { return !used.contains(each.thread); });
    const Example& example = unused == threads.end() ? threads.front() : *unused;
    used.insert(example.thread);
    cycle[i] = {addresses_[edges[i]->first.first], example.thread, example.held_path, example.taken_path};
  }
  return cycle;
}

std::vector<LockCycle> LockOrder::cycles() const {
  std::vector<LockCycle> found;
  if (!sees_releases_) return found;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // edges of cycles
  std::size_t searches = 0;
  for (auto edge = edges_.begin(); edge != edges_.end() && searches < kMostSearches; ++edge) {
    if (known.contains(edge->first)) continue;
    ++searches;
    const auto edges = shortest_cycle(edge);
    if (edges.empty() || !is_possible(edges)) continue;
    for (const auto& each : edges) known.insert(each->first);
    found.push_back(described(edges));
  }
  std::ranges::stable_sort(found, {}, &LockCycle::size);
  return found;
}

}  // namespace meridian
