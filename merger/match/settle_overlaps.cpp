// SPDX-License-Identifier: Apache-2.0
#include "merger/match/settle_overlaps.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "merger/match/linear_extension.hpp"

namespace meridian {
namespace {

// Length of the search for an order: with more pending calls than this on one channel, distant ones keep their order.
constexpr std::size_t kReach = 48;

std::size_t first_in_reach(std::size_t place) { return place < kReach ? 0 : place - kReach; }

/// Whether the message at `slot` was sent early enough for this receive, which is complete.
bool is_in_time(const Channel& at, std::size_t slot, const Receive& receive) {
  return slot < at.sends.size() && at.sends[slot].enter_ns < receive.leave_ns;
}

/// The receives around `place`. Incomplete ones complete later than the one at `place`: any message that is early
/// enough for it is early enough for them, so they may move.
CallLine receives_around(const Channel& at, std::size_t place, const ReceiveTable& receives) {
  CallLine line;
  const std::size_t first = first_in_reach(place);
  line.moving = place - first;
  for (std::size_t slot = first; slot < std::min(at.places.size(), place + kReach); ++slot) {
    const ReceiveId id = at.places[slot].receive;
    const bool is_open = slot == place || (id != kNoReceive && !receives[id].is_complete);
    line.items.push_back({slot, at.places[slot].span, is_open});
  }
  return line;
}

CallLine sends_around(const Channel& at, std::size_t place) {
  CallLine line;
  const std::size_t first = first_in_reach(place);
  line.moving = place - first;
  for (std::size_t slot = first; slot < std::min(at.sends.size(), place + kReach); ++slot)
    line.items.push_back(
        {slot, at.sends[slot].span, slot >= at.places.size() || at.places[slot].receive != kNoReceive});
  return line;
}

void reorder_receives(Channel& at, const CallLine& line, const CallLine::Order& order, ReceiveTable& receives) {
  std::vector<ReceivePlace> old;
  for (const CallLine::Item& item : line.items) old.push_back(at.places[item.slot]);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ReceivePlace& place = at.places[line.items[i].slot];
    place.receive = old[order[i]].receive;
    place.span = old[order[i]].span;
    if (place.receive != kNoReceive) receives[place.receive].number = place.number;
  }
}

void reorder_sends(Channel& at, const CallLine& line, const CallLine::Order& order) {
  std::vector<SentMessage> old;
  for (const CallLine::Item& item : line.items) old.push_back(at.sends[item.slot]);
  for (std::size_t i = 0; i < order.size(); ++i) at.sends[line.items[i].slot] = old[order[i]];
}

/// The possible orders that move the receive, those that move it to the front first.
std::vector<CallLine::Order> orders_of(const CallLine& line) {
  std::vector<CallLine::Order> orders;
  for (std::size_t count = line.moving + 1; count-- > 0;)
    if (auto order = line.towards_front(count)) orders.push_back(std::move(*order));
  for (std::size_t count = 1; count < line.items.size() - line.moving; ++count)
    if (auto order = line.towards_end(count)) orders.push_back(std::move(*order));
  return orders;
}

/// A message of the receive's size may have been sent before those in its way: moves both to one slot. nullopt: no
/// possible order does that.
std::optional<std::size_t> bring_together(Channel& at, const CallLine& line, std::span<const CallLine::Order> orders,
                                          ReceiveTable& receives) {
  const std::size_t place = line.items[line.moving].slot;
  const Receive& receive = receives[at.places[place].receive];
  const std::size_t last = std::min(at.sends.size(), place + kReach);
  for (std::size_t from = first_in_reach(place); from < last; ++from) {
    const bool is_taken = from < at.places.size() && at.places[from].receive == kNoReceive;
    if (is_taken || !is_in_time(at, from, receive) || !has_size(at.sends[from], receive)) continue;
    const CallLine sends = sends_around(at, from);
    for (std::size_t count = 1; count < kReach; ++count) {
      for (const auto& moved : {sends.towards_front(count), sends.towards_end(count)}) {
        if (!moved) continue;
        const std::size_t slot = sends.slot_of_moving(*moved);
        const auto order =
            std::ranges::find_if(orders, [&](const auto& each) { return line.slot_of_moving(each) == slot; });
        if (order == orders.end()) continue;
        reorder_sends(at, sends, *moved);
        reorder_receives(at, line, *order, receives);
        return slot;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::size_t settle_overlaps(Channel& at, std::size_t place, ReceiveTable& receives) {
  const Receive& receive = receives[at.places[place].receive];
  if (receive.is_silent) return place;
  if (place == 0 && is_in_time(at, 0, receive) && has_size(at.sends[0], receive)) return place;

  const CallLine line = receives_around(at, place, receives);
  const std::vector<CallLine::Order> orders = orders_of(line);
  const CallLine::Order* in_time = nullptr;
  for (const CallLine::Order& order : orders) {
    const std::size_t slot = line.slot_of_moving(order);
    if (!is_in_time(at, slot, receive)) continue;
    if (in_time == nullptr) in_time = &order;
    if (!has_size(at.sends[slot], receive)) continue;
    reorder_receives(at, line, order, receives);
    return slot;
  }
  if (const auto slot = bring_together(at, line, orders, receives)) return *slot;
  if (in_time == nullptr) return place;
  reorder_receives(at, line, *in_time, receives);
  return line.slot_of_moving(*in_time);
}

}  // namespace meridian
