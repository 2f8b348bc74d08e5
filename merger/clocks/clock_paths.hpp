#pragma once

// Shortest paths between the knots of clocks.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "merger/clocks/clock_certificate.hpp"

namespace meridian {

/// From knot to knot, by T1 and by T2; not negative.
struct ClockEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  float length[ClockCertificate::kLevels]{};
};

/// Edges by the end at which they begin (or, turned round, end). Holds on to them.
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

  /// From the nearest of the roots to each node; infinite where none is connected.
  std::vector<float> distances(std::size_t first_root, std::size_t roots, int level) const {
    std::vector<float> distance(first_.size() - 1, std::numeric_limits<float>::infinity());
    // Lengths are not negative, so that their bits sort as they do: in front of the node, in one word.
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> queue;
    const auto add = [&](float length, std::uint32_t node) {
      queue.push(std::uint64_t{std::bit_cast<std::uint32_t>(length)} << 32 | node);
    };
    for (std::size_t i = first_root; i < first_root + roots; ++i) {
      distance[i] = 0;
      add(0, static_cast<std::uint32_t>(i));
    }
    while (!queue.empty()) {
      const auto length = std::bit_cast<float>(static_cast<std::uint32_t>(queue.top() >> 32));
      const auto node = static_cast<std::uint32_t>(queue.top());
      queue.pop();
      if (length > distance[node]) continue;
      for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i) {
        const ClockEdge& edge = edges_[order_[i]];
        const std::uint32_t next = is_turned_ ? edge.from : edge.to;
        const float sum = length + edge.length[level];
        if (!(sum < distance[next])) continue;  // also what is no number
        distance[next] = sum;
        add(sum, next);
      }
    }
    return distance;
  }

 private:
  std::uint32_t begin(const ClockEdge& edge) const { return is_turned_ ? edge.to : edge.from; }

  const std::vector<ClockEdge>& edges_;
  bool is_turned_;
  std::vector<std::uint32_t> first_, order_;
};

}  // namespace meridian
