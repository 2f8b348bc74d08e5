// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "merged/merged_trace.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {

/// CollectiveShape::none for a number that a damaged file may have.
constexpr CollectiveShape shape_of(const MergedPart& part) noexcept {
  constexpr auto kLast = static_cast<std::int32_t>(CollectiveShape::none);
  return part.shape >= 0 && part.shape < kLast ? static_cast<CollectiveShape>(part.shape) : CollectiveShape::none;
}

}  // namespace meridian
