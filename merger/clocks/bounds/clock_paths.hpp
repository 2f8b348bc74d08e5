// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shortest paths between the knots of clocks.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "merger/clocks/bounds/clock_certificate.hpp"
#include "merger/clocks/samples/shortest_paths.hpp"

namespace meridian {

/// From knot to knot; lengths for T1 and T2, not negative.
struct ClockEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  float length[ClockCertificate::kLevels]{};
};

/// The edges by their begin, or by their end if turned. Keeps a reference to them.
class ClockPaths {
 public:
  ClockPaths(const std::vector<ClockEdge>& edges, std::size_t nodes, bool is_turned)
      : edges_{edges}, is_turned_{is_turned} {
    first_.assign(nodes + 1, 0);
    for (const ClockEdge& edge : edges) ++first_[begin(edge) + 1];
    for (std::size_t i = 0; i < nodes; ++i) first_[i + 1] += first_[i];
    order_.resize(edges.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t e = 0; e < edges.size(); ++e) order_[next[begin(edges[e])]++] = e;
  }

  /// The distance of each node from the nearest root; infinite if no root is connected.
  std::vector<float> distances(std::size_t first_root, std::size_t roots, int level) const {
    std::vector<float> distance(first_.size() - 1, std::numeric_limits<float>::infinity());
    std::vector<std::uint32_t> from(roots);
    std::iota(from.begin(), from.end(), static_cast<std::uint32_t>(first_root));
    for (const std::uint32_t root : from) distance[root] = 0;
    shortest_paths(
        distance, from, [](std::uint32_t) {},
        [&](std::uint32_t node, auto&& reach) {
          for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
            const ClockEdge& edge = edges_[order_[i]];
            reach(is_turned_ ? edge.from : edge.to, distance[node] + edge.length[level]);
          }
        });
    return distance;
  }

 private:
  std::uint32_t begin(const ClockEdge& edge) const { return is_turned_ ? edge.to : edge.from; }

  const std::vector<ClockEdge>& edges_;
  bool is_turned_;
  std::vector<std::uint32_t> first_, order_;
};

}  // namespace meridian
