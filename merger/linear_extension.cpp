#include "merger/linear_extension.hpp"

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

std::optional<CallLine::Order> CallLine::towards_front(std::size_t count) const {
  Order order = as_it_is(items.size());
  std::vector<std::size_t> slots{moving}, staying, passed;  // from the call towards the front
  for (std::size_t i = moving; i-- > 0 && passed.size() < count;) {
    if (!items[i].is_open) continue;
    slots.push_back(i);
    (items[i].span.precedes(items[moving].span) ? staying : passed).push_back(i);
  }
  if (passed.size() < count) return std::nullopt;
  auto slot = slots.begin();
  for (const std::size_t who : passed) order[*slot++] = who;
  order[*slot++] = moving;
  for (const std::size_t who : staying) order[*slot++] = who;
  return is_possible(order) ? std::optional{order} : std::nullopt;
}

std::optional<CallLine::Order> CallLine::towards_end(std::size_t count) const {
  Order order = as_it_is(items.size());
  std::vector<std::size_t> slots{moving}, staying, passed;  // from the call towards the end
  for (std::size_t i = moving + 1; i < items.size() && passed.size() < count; ++i) {
    if (!items[i].is_open) continue;
    slots.push_back(i);
    (items[moving].span.precedes(items[i].span) ? staying : passed).push_back(i);
  }
  if (passed.size() < count) return std::nullopt;
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
