// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/waits/wait_functions.hpp"
#include "analysis/waits/wait_sums.hpp"
#include "analysis/walk/collective_shape.hpp"
#include "analysis/walk/event_window.hpp"

namespace meridian {

/// Participants of collectives whose wait is not counted: the call that completes them waits longer for something else, at the same time.
using OverlappedParts = std::unordered_set<std::uint64_t>;

/// For whom the participants of one collective wait.
class CollectiveCauses {
 public:
  CollectiveCauses(const MergedTrace& trace, const EventWindow& window, const WaitFunctions& functions)
      : trace_{&trace}, window_{&window}, functions_{&functions} {}

  /// Reads the participants of the instance of this part.
  Status read(std::uint64_t number);
  /// Finds the causes: reads the calls in which they entered.
  Status find();

  const std::vector<MergedPart>& parts() const noexcept { return parts_; }
  void clear() noexcept { parts_.clear(); }
  const std::vector<WindowEvent>& starts() const noexcept { return starts_; }
  /// [part]: the kind of its wait, and the call for which it waits if that was entered later; its time is 0.
  const std::vector<std::optional<FoundWait>>& causes() const noexcept { return causes_; }
  /// The wait of part `i`, which has a cause, in the call that completes the collective; not positive: none.
  std::int64_t wait_ns(std::size_t i, const WindowEvent& completion) const;
  /// If each participant returns after the last one has entered: the index of that one.
  std::optional<std::size_t> last_of_all() const noexcept { return last_of_all_; }

 private:
  void look_at_all_to_all(CollectiveShape shape);
  void look_at_root(CollectiveShape shape);
  void look_at_prefix();
  void wait_for(WaitKind kind, std::size_t i, const WindowEvent& causer) { causes_[i] = FoundWait{kind, 0, causer}; }
  bool takes_part(std::size_t i, CollectiveShape shape) const;

  const MergedTrace* trace_;
  const EventWindow* window_;
  const WaitFunctions* functions_;
  std::vector<MergedPart> parts_;
  std::vector<WindowEvent> starts_;
  std::vector<std::optional<FoundWait>> causes_;
  std::optional<std::size_t> last_of_all_;
};

/// The same for participants in any order; those of the last few instances are kept.
class KeptCauses {
 public:
  explicit KeptCauses(CollectiveCauses reader) : reader_{std::move(reader)} {}
  Result<std::optional<FoundWait>> of(std::uint64_t part_number);
  /// With its time, in the call that completes the collective.
  Result<std::optional<FoundWait>> wait_of(std::uint64_t part_number, const WindowEvent& completion);

 private:
  static constexpr std::size_t kKept = 64;
  struct Found {
    const CollectiveCauses* instance = nullptr;
    std::size_t part = 0;
  };
  Result<Found> find(std::uint64_t part_number);

  CollectiveCauses reader_;
  std::deque<CollectiveCauses> kept_;
};

}  // namespace meridian
