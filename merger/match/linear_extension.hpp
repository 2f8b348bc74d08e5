// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of several threads have a partial order: one precedes another if it ended before the other began. This class
// moves one call within a sequence of calls so that the result is still one of the possible total orders.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "merger/match/channel.hpp"

namespace meridian {

/// A part of a sequence of calls. Calls that are not open keep their slots.
class CallLine {
 public:
  struct Item {
    std::size_t slot = 0;  ///< ascending from item to item
    CallSpan span;
    bool is_open = false;
  };
  /// who[i] is the index of the item that moves to items[i].slot.
  using Order = std::vector<std::size_t>;

  std::vector<Item> items;
  std::size_t moving = 0;  ///< index of the call that moves; it is open

  /// The order after the call has moved towards the front past `count` others, the nearest that need not precede it.
  /// nullopt if there are fewer, or if fixed calls prevent it.
  std::optional<Order> towards_front(std::size_t count) const;
  /// The same towards the end.
  std::optional<Order> towards_end(std::size_t count) const;
  /// The slot of the moving call in an order.
  std::size_t slot_of_moving(const Order& order) const;

 private:
  std::optional<Order> moved(std::size_t count, std::ptrdiff_t step) const;
  bool is_possible(const Order& order) const;
};

}  // namespace meridian
