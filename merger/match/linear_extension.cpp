// SPDX-License-Identifier: Apache-2.0
#include "merger/match/linear_extension.hpp"

#include <algorithm>
#include <numeric>

namespace meridian {
namespace {

CallLine::Order as_it_is(std::size_t size) {
  CallLine::Order order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

std::optional<CallLine::Order> CallLine::towards_front(std::size_t count) const { return moved(count, -1); }
std::optional<CallLine::Order> CallLine::towards_end(std::size_t count) const { return moved(count, 1); }

std::optional<CallLine::Order> CallLine::moved(std::size_t count, std::ptrdiff_t step) const {
  const auto size = static_cast<std::ptrdiff_t>(items.size());
  const auto from = static_cast<std::ptrdiff_t>(moving);
  const CallSpan& span = items[moving].span;
  std::vector<std::size_t> slots{moving}, staying, passed;  // from the call on
  for (std::ptrdiff_t at = from + step; at >= 0 && at < size && passed.size() < count; at += step) {
    const auto i = static_cast<std::size_t>(at);
    if (!items[i].is_open) continue;
    slots.push_back(i);
    const bool has_to_stay = step < 0 ? items[i].span.precedes(span) : span.precedes(items[i].span);
    (has_to_stay ? staying : passed).push_back(i);
  }
  if (passed.size() < count) return std::nullopt;
  Order order = as_it_is(items.size());
  auto slot = slots.begin();
  for (const std::size_t who : passed) order[*slot++] = who;
  order[*slot++] = moving;
  for (const std::size_t who : staying) order[*slot++] = who;
  return is_possible(order) ? std::optional{order} : std::nullopt;
}

std::size_t CallLine::slot_of_moving(const Order& order) const {
  return items[static_cast<std::size_t>(std::ranges::find(order, moving) - order.begin())].slot;
}

bool CallLine::is_possible(const Order& order) const {
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j)
      if (order[j] < order[i] && items[order[j]].span.precedes(items[order[i]].span)) return false;
  return true;
}

}  // namespace meridian
