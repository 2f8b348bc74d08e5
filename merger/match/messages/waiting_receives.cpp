// SPDX-License-Identifier: Apache-2.0
#include "merger/match/messages/waiting_receives.hpp"

#include <algorithm>
#include <utility>

namespace meridian {
namespace {

bool may_take(std::int32_t wanted, std::int32_t value) { return wanted == -1 || wanted == value; }

}  // namespace

WaitingReceives::WaitingReceives(ReceiveTable& receives, std::span<const std::size_t> comms) : receives_{receives} {
  for (const std::size_t count : comms) queues_.emplace_back(count);
}

void WaitingReceives::add(ReceiveId id) {
  Queue& queue = queue_of(id);
  queue.waiting.push_back(id);
  queue.known += receives_[id].has_channel() ? 1 : 0;
}

/// Whether a receive before `place` could take a message that matches this one.
bool WaitingReceives::is_blocked(const Queue& queue, std::size_t place, const Receive& receive) const noexcept {
  for (std::size_t i = 0; i < place; ++i) {
    if (queue.waiting[i] == kNoReceive) continue;
    const Receive& earlier = receives_[queue.waiting[i]];
    if (may_take(earlier.source, receive.source) && may_take(earlier.tag, receive.tag) &&
        earlier.source_bits == receive.source_bits)
      return true;
  }
  return false;
}

/// Releases the receives from `from` on that no earlier one blocks any more.
void WaitingReceives::release(Queue& queue, std::size_t from) {
  for (std::size_t i = from; i < queue.waiting.size() && queue.known != 0; ++i) {
    ReceiveId& id = queue.waiting[i];
    if (id == kNoReceive || !receives_[id].has_channel() || is_blocked(queue, i, receives_[id])) continue;
    released_.push_back(std::exchange(id, kNoReceive));
    --queue.known;
  }
  std::erase(queue.waiting, kNoReceive);
}

std::span<const ReceiveId> WaitingReceives::set_known(ReceiveId id) {
  released_.clear();
  Queue& queue = queue_of(id);
  const auto at = std::ranges::find(queue.waiting, id);
  if (at == queue.waiting.end()) return {};
  ++queue.known;
  release(queue, static_cast<std::size_t>(at - queue.waiting.begin()));
  return released_;
}

std::span<const ReceiveId> WaitingReceives::remove(ReceiveId id) {
  released_.clear();
  Queue& queue = queue_of(id);
  const auto at = std::ranges::find(queue.waiting, id);
  if (at == queue.waiting.end()) return {};
  *at = kNoReceive;
  queue.known -= receives_[id].has_channel() ? 1 : 0;
  release(queue, static_cast<std::size_t>(at - queue.waiting.begin()));
  return released_;
}

bool WaitingReceives::may_precede(ReceiveId id, std::uint64_t ticks) const noexcept {
  const Receive& receive = receives_[id];
  return std::ranges::any_of(queues_[receive.rank_index][receive.comm_number].waiting, [&](ReceiveId other) {
    if (other == kNoReceive) return false;
    const Receive& waiting = receives_[other];
    return waiting.span.enter_ticks < ticks && may_take(waiting.source, receive.source) &&
           may_take(waiting.tag, receive.tag) && waiting.source_bits == receive.source_bits;
  });
}

void WaitingReceives::silence_behind(ReceiveId id) {
  const Receive& receive = receives_[id];
  if (receive.has_channel()) return;
  bool is_behind = false;
  for (const ReceiveId waiting : queue_of(id).waiting) {
    is_behind = is_behind || waiting == id;
    if (!is_behind || waiting == kNoReceive || waiting == id) continue;
    Receive& later = receives_[waiting];
    const bool may_be_its = may_take(receive.source, later.source) && may_take(receive.tag, later.tag);
    if (may_be_its && later.source_bits == receive.source_bits) later.is_silent = true;
  }
}

}  // namespace meridian
