// hot
// SPDX-License-Identifier: Apache-2.0

#include "pmpi/stacks/python_sites.hpp"
#include "pmpi/stacks/stacks.hpp"

namespace meridian {

constinit Python g_python;

std::uint64_t find_python_site(const PythonSites& sites, const PythonFrame& frame) noexcept {
  const std::uint64_t identity = identity_of_code(frame.code);
  const std::uint32_t first = stack_slot(frame.instruction, PythonSites::kSlots);
  for (std::uint32_t i = 0; i < PythonSites::kProbes; ++i) {
    const PythonSites::Slot& slot = sites.slots[(first + i) & (PythonSites::kSlots - 1)];
    if (slot.instruction == frame.instruction && slot.code == frame.code && slot.identity == identity) [[likely]]
      return slot.site;
    if (slot.site == 0) break;
  }
  return 0;
}

CallerKind kind_of_caller(PythonSites& sites, std::uintptr_t address) noexcept {
  const PythonSites::Caller& known = sites.callers[stack_slot(address, PythonSites::kCallers)];
  if (known.address == address && sites.unloads == g_unloads.load(std::memory_order_acquire)) [[likely]]
    return known.kind;
  return look_up_caller(sites, address);
}

}  // namespace meridian
