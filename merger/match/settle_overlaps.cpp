// The third part of MessageMatcher: channels on which several threads of a process send or receive at once. MPI orders
// only calls of which one ended before the other began; among the rest an order is chosen when a receive completes.

#include <algorithm>
#include <optional>

#include "merger/match/linear_extension.hpp"
#include "merger/match/match_messages.hpp"

namespace meridian {
namespace {

// How far an order is looked for: with more calls than this under way on one channel, those far apart stay as they
// came.
constexpr std::size_t kReach = 48;

std::size_t first_in_reach(std::size_t place) { return place < kReach ? 0 : place - kReach; }

}  // namespace

/// Whether the message at `slot` was sent early enough for this receive, which has completed.
bool MessageMatcher::is_in_time(const Channel& at, std::size_t slot, const Receive& receive) {
  return slot < at.sends.size() && at.sends[slot].enter_ns < receive.leave_ns;
}

bool MessageMatcher::has_size(const SentMessage& send, const Receive& receive) {
  return receive.bytes < 0 || send.bytes == kUnknownBytes || send.bytes == static_cast<std::uint64_t>(receive.bytes);
}

/// The receives around `place`. Those that have not completed yet complete later than the one there: any message that
/// is early enough for it is early enough for them, so they may give way.
CallLine MessageMatcher::receives_around(const Channel& at, std::size_t place) const {
  CallLine line;
  const std::size_t first = first_in_reach(place);
  line.moving = place - first;
  for (std::size_t slot = first; slot < std::min(at.places.size(), place + kReach); ++slot) {
    const ReceiveId id = at.places[slot].receive;
    const bool is_open = slot == place || (id != kNoReceive && !receives_[id].is_complete);
    line.items.push_back({slot, at.places[slot].span, is_open});
  }
  return line;
}

CallLine MessageMatcher::sends_around(const Channel& at, std::size_t place) {
  CallLine line;
  const std::size_t first = first_in_reach(place);
  line.moving = place - first;
  for (std::size_t slot = first; slot < std::min(at.sends.size(), place + kReach); ++slot)
    line.items.push_back(
        {slot, at.sends[slot].span, slot >= at.places.size() || at.places[slot].receive != kNoReceive});
  return line;
}

void MessageMatcher::reorder_receives(Channel& at, const CallLine& line, const CallLine::Order& order) {
  std::vector<ReceivePlace> old;
  for (const CallLine::Item& item : line.items) old.push_back(at.places[item.slot]);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ReceivePlace& place = at.places[line.items[i].slot];
    place.receive = old[order[i]].receive;
    place.span = old[order[i]].span;
    if (place.receive != kNoReceive) receives_[place.receive].number = place.number;
  }
}

void MessageMatcher::reorder_sends(Channel& at, const CallLine& line, const CallLine::Order& order) {
  std::vector<SentMessage> old;
  for (const CallLine::Item& item : line.items) old.push_back(at.sends[item.slot]);
  for (std::size_t i = 0; i < order.size(); ++i) at.sends[line.items[i].slot] = old[order[i]];
}

/// A receive that has completed goes as far to the front as it may: what has not completed can wait longer. Where its
/// size tells which message it got, it goes there. Returns its place.
std::size_t MessageMatcher::settle_overlaps(Channel& at, std::size_t place) {
  const Receive& receive = receives_[at.places[place].receive];
  if (receive.is_silent) return place;
  if (place == 0 && is_in_time(at, 0, receive) && has_size(at.sends[0], receive)) return place;

  // Where the receive may stand, front first.
  const CallLine line = receives_around(at, place);
  std::vector<CallLine::Order> orders;
  for (std::size_t count = line.moving + 1; count-- > 0;)
    if (auto order = line.towards_front(count)) orders.push_back(std::move(*order));
  for (std::size_t count = 1; count < line.items.size() - line.moving; ++count)
    if (auto order = line.towards_end(count)) orders.push_back(std::move(*order));

  const CallLine::Order* in_time = nullptr;
  for (const CallLine::Order& order : orders) {
    const std::size_t slot = line.slot_of_moving(order);
    if (!is_in_time(at, slot, receive)) continue;
    if (in_time == nullptr) in_time = &order;
    if (!has_size(at.sends[slot], receive)) continue;
    reorder_receives(at, line, order);
    return slot;
  }
  // A message of that size may have been sent before those in its way.
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
        reorder_receives(at, line, *order);
        return slot;
      }
    }
  }
  if (in_time == nullptr) return place;
  reorder_receives(at, line, *in_time);
  return line.slot_of_moving(*in_time);
}

}  // namespace meridian
