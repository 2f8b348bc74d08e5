// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages and collectives that say on which side of a clock step a call began or ended.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "merger/clocks/samples/clock_correction.hpp"
#include "merger/model/clocks.hpp"
#include "merger/model/event_ref.hpp"

namespace meridian {

/// A step of one clock, and what is known of its place; ns on the first line of the clock.
struct SoughtStep {
  std::uint32_t domain = 0;
  std::size_t number = 0;                                      ///< in ClockCorrection::steps[domain]
  double first_ns = 0, last_ns = 0;                            ///< the step is between these stamps
  double until_ns = -std::numeric_limits<double>::infinity();  ///< the last stamp that is from before it
  double from_ns = std::numeric_limits<double>::infinity();    ///< the first that is from after it
};

/// Compares both possible times of a call's end near a step, before and after it, with the events of other clocks that
/// must precede or follow it.
class StepEvidence {
 public:
  /// first       the clocks that times are given on
  /// correction  with the steps. Both must outlive the object.
  StepEvidence(const Clocks& first, const ClockCorrection& correction, std::vector<std::uint32_t> index_of_rank);

  void add(std::span<const MatchedMessage> messages);
  /// The rows of an instance must be consecutive, also across calls. End with finish().
  void add(std::span<const CollectivePart> parts);
  void finish() { add_instance(); }

  const std::vector<SoughtStep>& steps() const { return steps_; }

 private:
  std::uint32_t domain_of(std::int32_t rank) const;
  bool is_known(std::uint32_t domain, double ns) const;
  void must_follow(std::uint32_t domain, double ns, double need_ns);
  void must_precede(std::uint32_t domain, double ns, double limit_ns);
  void add_order(std::uint32_t from, std::int64_t enter_ns, std::uint32_t to, std::int64_t exit_ns);
  template <class IsPossible>
  void decide(std::uint32_t domain, double ns, IsPossible&& is_possible);
  void add_instance();

  const Clocks& first_;
  const ClockCorrection& correction_;
  std::vector<std::uint32_t> index_of_rank_;  // [world rank]
  std::vector<SoughtStep> steps_;
  std::vector<CollectivePart> instance_;
};

}  // namespace meridian
