// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace meridian {

/// A part of the run whose events the page has, one by one.
struct ExactWindow {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  bool operator==(const ExactWindow&) const = default;
};

/// Chooses slots of time whose events together are at most `most`: those of `wanted` (most wanted first), then their
/// neighbours, then others, evenly spread. Neighbouring slots become one window.
///
/// counts  events of each slot; the first begins at begin_ns, each lasts width_ns
std::vector<ExactWindow> choose_windows(std::span<const std::uint32_t> counts, std::int64_t begin_ns,
                                        std::int64_t width_ns, std::span<const std::size_t> wanted, std::uint64_t most);

}  // namespace meridian
