// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "merged/merged_trace.hpp"

namespace meridian {

/// Finds the participants of a collective by its number: quickly near the one that was found last.
class InstanceFinder {
 public:
  explicit InstanceFinder(const MergedTrace& trace) : trace_{&trace} {}

  /// The first participant of the instance. errors: not_found; damaged; io.
  Result<MergedPart> first_part(std::uint64_t instance) {
    constexpr std::uint64_t kNear = 16;
    const bool is_near =
        last_ && (last_->instance < instance ? instance - last_->instance : last_->instance - instance) <= kNear;
    if (is_near) {
      MERIDIAN_TRY(const bool is_found, walk_to(instance));
      if (is_found) return *last_;
    }
    std::uint64_t low = 0, high = trace_->parts();  // instances are in the order of their participants
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      MERIDIAN_TRY(const MergedPart part, trace_->part(middle));
      if (part.instance == instance) {
        MERIDIAN_TRY(last_, trace_->part(part.first_part));
        return *last_;
      }
      if (part.instance < instance)
        low = middle + 1;
      else
        high = middle;
    }
    return Error{Errc::not_found, "there is no collective " + std::to_string(instance),
                 "collectives are numbered from 0"};
  }

 private:
  /// Goes from instance to instance; false: there is none on the way.
  Result<bool> walk_to(std::uint64_t instance) {
    while (last_->instance != instance) {
      const bool is_later = last_->instance < instance;
      const std::uint64_t next =
          is_later ? last_->first_part + static_cast<std::uint64_t>(last_->parts) : last_->first_part - 1;
      if (next >= trace_->parts()) return false;
      MERIDIAN_TRY(const MergedPart part, trace_->part(next));
      if ((part.instance > last_->instance) != is_later) return false;
      MERIDIAN_TRY(last_, trace_->part(part.first_part));
    }
    return true;
  }

  const MergedTrace* trace_;
  std::optional<MergedPart> last_;  // the first participant
};

}  // namespace meridian
