// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pmpi/stacks/stacks.hpp"

namespace meridian::test {

struct ReleaseStacks {
  void operator()(Stacks* stacks) const { release_stacks(stacks); }
};
using OwnStacks = std::unique_ptr<Stacks, ReleaseStacks>;

using Addresses = std::vector<std::uintptr_t>;

/// The stack as a wrapper sees it that is called here: innermost is the caller of this function.
[[gnu::noinline]] inline Addresses walk_from_here(Stacks& stacks) {
  const void* const frame = __builtin_frame_address(0);
  const std::uint32_t count = walk_stack(stacks, frame, return_address(frame));
  return {stacks.addresses, stacks.addresses + count};
}

}  // namespace meridian::test
