// hot
// SPDX-License-Identifier: Apache-2.0

#include "pmpi/stacks/stacks.hpp"
#include "pmpi/stacks/unwind_image.hpp"

namespace meridian {

constinit std::atomic<std::uint32_t> g_unloads{0};

namespace {

constexpr std::uint32_t kProbes = 8;
constexpr std::uint8_t kMostTries = 16;
constexpr std::uint32_t kMostOwnFrames = 4;  // frames of the tracer between the frame that the walk starts from and the
                                             // caller

UnwindRule rule_at(Stacks& stacks, std::uintptr_t return_address) noexcept {
  const std::uint32_t first = stack_slot(return_address, Stacks::kRuleSlots);
  std::uint32_t free = first;
  for (std::uint32_t i = 0; i < kProbes; ++i) {
    const std::uint32_t slot = (first + i) & (Stacks::kRuleSlots - 1);
    if (stacks.rule_slots[slot].return_address == return_address) [[likely]]
      return stacks.rule_slots[slot].rule;
    if (stacks.rule_slots[slot].return_address == 0) {
      free = slot;
      break;
    }
  }
  stacks.rule_slots[free] = {return_address, find_unwind_rule(return_address)};
  return stacks.rule_slots[free].rule;
}

[[gnu::cold, gnu::noinline]] void forget_rules(Stacks& stacks, std::uint32_t unloads) noexcept {
  for (Stacks::Rule& slot : stacks.rule_slots) slot.return_address = 0;
  stacks.start_count = stacks.start_tries = 0;
  stacks.unloads = unloads;
}

bool is_start(const Stacks& stacks, std::uintptr_t return_address) noexcept {
  for (std::uint32_t i = 0; i < stacks.start_count; ++i)
    if (stacks.starts[i] == return_address) return true;
  return false;
}

/// The position of a walk; sp and x29 of AArch64.
struct Frame {
  std::uintptr_t rsp;
  std::uintptr_t rbp;
  std::uintptr_t return_address;  ///< from the previous frame into this one
};

enum class Step { went_on, is_outermost, is_lost };

/// AArch64 may sign a return address in bits that no address of a program has.
constexpr std::uintptr_t kAddressMask = (std::uintptr_t{1} << 48) - 1;

/// Moves to the frame of the caller. Reads only in [bottom, high), whatever the rules say, and each frame must be above
/// the one before.
Step step(Stacks& stacks, std::uintptr_t bottom, Frame& at) noexcept {
  const auto is_readable = [&](std::uintptr_t address) {
    return address >= bottom && address <= stacks.high - sizeof address && address % sizeof address == 0;
  };
  const auto word = [](std::uintptr_t address) { return *reinterpret_cast<const std::uintptr_t*>(address); };
  const UnwindRule rule = rule_at(stacks, at.return_address);
  const auto offset = static_cast<std::uintptr_t>(std::intptr_t{rule.cfa_offset});
  std::uintptr_t cfa = 0;
  switch (rule.kind) {
    case UnwindRule::from_rsp:
      cfa = at.rsp + offset;
      break;
    case UnwindRule::from_rbp:
      cfa = at.rbp + offset;
      break;
    case UnwindRule::at_rbp:
      if (!is_readable(at.rbp + offset)) return Step::is_lost;
      cfa = word(at.rbp + offset);
      break;
    case UnwindRule::frame_record:
      if (at.rbp == 0) return Step::is_outermost;
      if (at.rbp < at.rsp || !is_readable(at.rbp) || !is_readable(at.rbp + sizeof at.rbp)) return Step::is_lost;
      at.rsp = at.rbp + 2 * sizeof at.rbp;
      at.return_address = word(at.rbp + sizeof at.rbp) & kAddressMask;
      at.rbp = word(at.rbp);
      return at.return_address == 0 ? Step::is_outermost : Step::went_on;
    case UnwindRule::outermost:
      return Step::is_outermost;
    case UnwindRule::unknown:
      return Step::is_lost;
  }
  if (cfa <= at.rsp || !is_readable(cfa - sizeof cfa)) return Step::is_lost;
  if (rule.saved != UnwindRule::kept) {
    const auto saved = static_cast<std::uintptr_t>(std::intptr_t{rule.rbp_offset});
    const std::uintptr_t from = (rule.saved == UnwindRule::below_cfa ? cfa : at.rbp) + saved;
    if (!is_readable(from)) return Step::is_lost;
    at.rbp = word(from);
  }
  at.rsp = cfa;
  at.return_address = word(cfa - sizeof cfa);
  return at.return_address == 0 ? Step::is_outermost : Step::went_on;
}

}  // namespace

std::uint32_t walk_stack(Stacks& stacks, const void* frame, std::uint64_t caller) noexcept {
  if (const std::uint32_t unloads = g_unloads.load(std::memory_order_acquire); stacks.unloads != unloads) [[unlikely]]
    forget_rules(stacks, unloads);
  const auto bottom = reinterpret_cast<std::uintptr_t>(frame);
  std::uintptr_t* const addresses = stacks.addresses;
  addresses[0] = caller;
  addresses[1] = kStackLost;
  if (bottom < stacks.low || bottom >= stacks.high) return 2;
  const auto* const words = static_cast<const std::uintptr_t*>(frame);
  Frame at{bottom + 2 * sizeof(std::uintptr_t), words[0], words[1]};
  for (std::uint32_t i = 0; at.return_address != caller; ++i)
    if (i == kMostOwnFrames || step(stacks, bottom, at) != Step::went_on) return 2;
  // Walks beyond the requested depth until the start code is known.
  const bool is_searching = stacks.start_count == 0 && stacks.start_tries < kMostTries;
  const std::uint32_t most = is_searching ? Stacks::kRoom : stacks.depth;
  std::uint32_t count = 1;
  std::uintptr_t end = 0;
  for (;;) {
    const Step next = step(stacks, bottom, at);
    if (next == Step::went_on) {
      if (is_start(stacks, at.return_address)) break;
      if (count < most) {
        addresses[count++] = at.return_address;
        continue;
      }
      end = kStackDeeper;
      stacks.start_tries = static_cast<std::uint8_t>(stacks.start_tries + is_searching);
      break;
    }
    const std::uint32_t whole = count;
    count = without_start(stacks, count, next == Step::is_lost);
    if (next == Step::is_lost && count == whole) end = kStackLost;
    break;
  }
  if (count > stacks.depth) {
    count = stacks.depth;
    end = kStackDeeper;
  }
  if (end != 0) addresses[count++] = end;
  return count;
}

}  // namespace meridian
