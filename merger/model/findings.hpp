// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "merger/model/event_ref.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// One value per row of findings.def.
enum class FindingId : std::uint16_t {
#define MERIDIAN_FINDING(id, name, severity, text, remedy) id,
#include "merger/model/findings.def"
  count_
};

/// The row of findings.def as a Finding without count and detail.
Finding describe(FindingId id);

/// "rank 3 thread 0 call 17"
std::string describe(const EventRef& call);

/// Counts the flaws that passes find, and keeps the first few as examples.
class Findings {
 public:
  static constexpr std::size_t kExamples = 3;

  void add(FindingId id, std::uint64_t count = 1) noexcept { entry(id).count += count; }
  /// `example` names one affected object: a string, or a function that makes one (called for the first few only).
  template <class Example>
  void add(FindingId id, std::uint64_t count, Example&& example) {
    Entry& at = entry(id);
    at.count += count;
    if (at.examples.size() >= kExamples) {
      at.has_more = true;
      return;
    }
    if constexpr (std::invocable<Example>)
      at.examples.emplace_back(std::forward<Example>(example)());
    else
      at.examples.emplace_back(std::forward<Example>(example));
  }

  /// Recording was switched off for something: a missing side is then no flaw by itself, but counts as
  /// `gap`: call.switched_off, or call.unseen or call.unwrapped if nothing was switched off.
  void expect_gaps(FindingId gap = FindingId::call_switched_off) noexcept {
    has_gaps_ = true;
    gap_ = gap;
  }
  bool has_gaps() const noexcept { return has_gaps_; }
  /// The row under which a missing side counts.
  FindingId gap() const noexcept { return gap_; }
  /// Only the starts of some requests are missing.
  void expect_unknown_requests() noexcept { has_unknown_requests_ = true; }
  /// Calls that create communicators may be missing.
  void expect_unknown_comms() noexcept { has_unknown_comms_ = true; }

  std::uint64_t count(FindingId id) const noexcept { return entries_[static_cast<std::size_t>(id)].count; }

  /// The findings with a count, worst first, then in the order of findings.def.
  std::vector<Finding> list() const;

 private:
  struct Entry {
    std::uint64_t count = 0;
    std::vector<std::string> examples;
    bool has_more = false;  // more than the examples that are kept
  };
  Entry& entry(FindingId id) noexcept {
    const bool is_gap = (has_gaps_ && may_be_gap(id)) || (has_unknown_requests_ && id == FindingId::request_unknown) ||
                        (has_unknown_comms_ && id == FindingId::comm_unknown);
    const FindingId counted = is_gap ? gap_ : id;
    return entries_[static_cast<std::size_t>(counted)];
  }
  static bool may_be_gap(FindingId id) noexcept;

  bool has_gaps_ = false;
  FindingId gap_ = FindingId::call_switched_off;
  bool has_unknown_requests_ = false;
  bool has_unknown_comms_ = false;
  std::array<Entry, static_cast<std::size_t>(FindingId::count_)> entries_{};
};

}  // namespace meridian
