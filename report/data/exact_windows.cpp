// SPDX-License-Identifier: Apache-2.0
#include "report/data/exact_windows.hpp"

#include <bit>
#include <cstddef>

namespace meridian {
namespace {

/// 0, 1/2, 1/4, 3/4, 1/8 ...: any number of them in a row are evenly spread.
std::size_t spread(std::size_t i, unsigned bits) {
  std::size_t reversed = 0;
  for (unsigned bit = 0; bit < bits; ++bit) reversed |= (i >> bit & 1U) << (bits - 1 - bit);
  return reversed;
}

}  // namespace

std::vector<TimeWindow> choose_windows(std::span<const std::uint32_t> counts, std::int64_t begin_ns,
                                       std::int64_t width_ns, std::span<const std::size_t> wanted, std::uint64_t most) {
  std::vector<bool> is_chosen(counts.size());
  std::uint64_t chosen = 0;
  const auto choose = [&](std::size_t slot) {
    if (slot >= counts.size() || is_chosen[slot] || chosen + counts[slot] > most) return;
    is_chosen[slot] = true;
    chosen += counts[slot];
  };
  for (const std::size_t slot : wanted) choose(slot);
  for (const std::size_t slot : wanted) {
    choose(slot + 1);
    if (slot > 0) choose(slot - 1);
  }
  const auto bits = static_cast<unsigned>(std::bit_width(counts.size()));
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) choose(spread(i, bits));

  std::vector<TimeWindow> windows;
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    if (!is_chosen[slot]) continue;
    const std::int64_t from_ns = begin_ns + static_cast<std::int64_t>(slot) * width_ns;
    if (!windows.empty() && windows.back().to_ns == from_ns) {
      windows.back().to_ns += width_ns;
    } else {
      windows.push_back({from_ns, from_ns + width_ns});
    }
  }
  return windows;
}

}  // namespace meridian
