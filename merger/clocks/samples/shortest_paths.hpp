// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

namespace meridian {

/// Dijkstra's shortest paths in a graph whose edges have no negative cost.
///
/// costs   [nodes]: the roots have their cost already; all other unreached nodes have more than any path costs.
/// settle  settle(node) is called once for each node reached, in order of cost, then of number. Its cost is final then.
/// edges   edges(node, reach) is called next; it calls reach(next, cost of the whole path) for each edge of the node,
///         which returns whether this is the cheapest path so far.
template <class Cost, class Settle, class Edges>
void shortest_paths(std::vector<Cost>& costs, std::span<const std::uint32_t> roots, Settle&& settle, Edges&& edges) {
  struct Item {
    Cost cost;
    std::uint32_t node;
    bool operator<(const Item& other) const {  // std::priority_queue returns the largest item first
      return cost != other.cost ? cost > other.cost : node > other.node;
    }
  };
  std::priority_queue<Item> queue;
  for (const std::uint32_t root : roots) queue.push({costs[root], root});
  while (!queue.empty()) {
    const Item item = queue.top();
    queue.pop();
    if (costs[item.node] < item.cost) continue;  // superseded by a cheaper path
    settle(item.node);
    edges(item.node, [&](std::uint32_t next, const Cost& cost) {
      if (!(cost < costs[next])) return false;  // also rejects NaN
      costs[next] = cost;
      queue.push({cost, next});
      return true;
    });
  }
}

}  // namespace meridian
