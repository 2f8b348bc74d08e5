// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/copied_stack.hpp"

#include <cstring>
#include <optional>

#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);
/// AArch64 may sign a return address in bits that no address of a program has.
constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 48) - 1;

enum class Step { went_on, is_outermost, is_lost, is_deeper };

class Walk {
 public:
  Walk(const CopiedStack& stack, LoadedFiles& files)
      : stack_{stack}, files_{files}, sp_{stack.sp}, bp_{stack.bp}, address_{stack.ip + 1} {}

  std::uint64_t address() const noexcept { return address_; }

  /// Moves to the frame of the caller, each of which is above the one before.
  Step step(bool is_first) {
    const UnwindRule rule = files_.rule(address_);
    const auto offset = static_cast<std::uint64_t>(std::int64_t{rule.cfa_offset});
    switch (rule.kind) {
      case UnwindRule::from_rsp:
        return go_to(sp_ + offset, rule);
      case UnwindRule::from_rbp:
        return go_to(bp_ + offset, rule);
      case UnwindRule::at_rbp:
        if (const auto cfa = word(bp_ + offset)) return go_to(*cfa, rule);
        return beyond(bp_ + offset);
      case UnwindRule::frame_record:
        return follow_record();
      case UnwindRule::outermost:
        return Step::is_outermost;
      case UnwindRule::unknown:
        break;
    }
    return is_first ? leave_stub() : Step::is_lost;
  }

 private:
  std::optional<std::uint64_t> word(std::uint64_t address) const {
    const std::uint64_t offset = address - stack_.sp;
    if (address < stack_.sp || offset % kWord != 0 || offset > stack_.bytes.size() ||
        stack_.bytes.size() - offset < kWord)
      return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, stack_.bytes.data() + offset, sizeof value);
    return value;
  }
  /// What an address that is not in the copy means.
  Step beyond(std::uint64_t address) const {
    const std::uint64_t end = stack_.sp + stack_.bytes.size();
    return address % kWord == 0 && address > end - kWord && address < end + kFarthest ? Step::is_deeper : Step::is_lost;
  }

  Step go_to(std::uint64_t cfa, const UnwindRule& rule) {
    if (cfa <= sp_) return Step::is_lost;
    const auto caller = word(cfa - kWord);
    if (!caller) return beyond(cfa - kWord);
    if (rule.saved != UnwindRule::kept) {
      const auto saved = static_cast<std::uint64_t>(std::int64_t{rule.rbp_offset});
      const std::uint64_t from = (rule.saved == UnwindRule::below_cfa ? cfa : bp_) + saved;
      const auto value = word(from);
      if (!value) return beyond(from);
      bp_ = *value;
    }
    sp_ = cfa;
    address_ = *caller;
    return address_ == 0 ? Step::is_outermost : Step::went_on;
  }

  Step follow_record() {
    if (bp_ == 0) return Step::is_outermost;
    const auto next = word(bp_), caller = word(bp_ + kWord);
    if (!next || !caller || bp_ < sp_) return beyond(bp_ + kWord);
    sp_ = bp_ + 2 * kWord;
    bp_ = *next;
    address_ = *caller & kAddressMask;
    return address_ == 0 ? Step::is_outermost : Step::went_on;
  }

  /// The linker's stubs have no usable rule. The stack pointer points to their return address, as at the start of any function.
  Step leave_stub() {
    const auto caller = word(sp_);
    if (!caller || !files_.has_code(*caller) || files_.rule(*caller).kind == UnwindRule::unknown) return Step::is_lost;
    sp_ += kWord;
    address_ = *caller;
    return Step::went_on;
  }

  static constexpr std::uint64_t kFarthest = std::uint64_t{1} << 30;
  const CopiedStack& stack_;
  LoadedFiles& files_;
  std::uint64_t sp_, bp_, address_;
};

}  // namespace

void unwind(const CopiedStack& stack, LoadedFiles& files, std::vector<std::uint64_t>& addresses) {
  addresses.clear();
  Walk walk{stack, files};
  for (;;) {
    addresses.push_back(walk.address());
    const Step next = walk.step(addresses.size() == 1);
    if (next == Step::is_outermost) return;
    if (next == Step::went_on && addresses.size() < kMostSampledFrames) continue;
    addresses.push_back(next == Step::is_lost ? kStackLost : kStackDeeper);
    return;
  }
}

}  // namespace meridian
