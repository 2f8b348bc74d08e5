// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of several threads have a partial order: one comes before another if it ended before the other began. Here
// one call is moved within a line of calls so that the line stays one of the possible total orders.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "merger/match/channel.hpp"

namespace meridian {

/// A part of a line of calls. Those that are not open stay where they are.
class CallLine {
 public:
  struct Item {
    std::size_t slot = 0;  ///< ascending from item to item
    CallSpan span;
    bool is_open = false;
  };
  /// who[i] is the item that items[i].slot gets.
  using Order = std::vector<std::size_t>;

  std::vector<Item> items;
  std::size_t moving = 0;  ///< index of the call that moves; it is open

  /// The order in which the call has gone towards the front past `count` others, the nearest that need not stay before
  /// it. nullopt if there are fewer, or if calls that cannot move forbid it.
  std::optional<Order> towards_front(std::size_t count) const;
  /// The same towards the end.
  std::optional<Order> towards_end(std::size_t count) const;
  /// Where the call stands in an order.
  std::size_t slot_of_moving(const Order& order) const;

 private:
  std::optional<Order> moved(std::size_t count, std::ptrdiff_t step) const;
  bool is_possible(const Order& order) const;
};

}  // namespace meridian
