// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/steps/step_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNoDomain = 0xffffffff;
constexpr std::size_t kMostCombinations = 16;

}  // namespace

StepEvidence::StepEvidence(const Clocks& first, const ClockCorrection& correction,
                           std::vector<std::uint32_t> index_of_rank)
    : first_{first}, correction_{correction}, index_of_rank_{std::move(index_of_rank)} {
  for (std::uint32_t h = 0; h < correction.domains; ++h)
    for (std::size_t i = 0; i < correction.steps[h].size(); ++i) {
      const ClockStep& step = correction.steps[h][i];
      SoughtStep& sought = steps_.emplace_back(SoughtStep{h, i});
      std::tie(sought.first_ns, sought.last_ns) = std::minmax(step.last_before_ns, step.first_after_ns);
      if (step.last_before_ns >= step.first_after_ns) continue;
      sought.until_ns = sought.first_ns;
      sought.from_ns = sought.last_ns;
    }
}

std::uint32_t StepEvidence::domain_of(std::int32_t rank) const {
  const auto place = static_cast<std::size_t>(rank);
  if (rank < 0 || place >= index_of_rank_.size() || index_of_rank_[place] == kNoDomain) return kNoDomain;
  return first_.domain_of[index_of_rank_[place]];
}

bool StepEvidence::is_known(std::uint32_t domain, double ns) const {
  return domain != kNoDomain && !correction_.is_ambiguous_at(domain, ns);
}

/// Calls is_possible(corrected time, tolerance) for both sides of each step that the stamp may be of.
template <class IsPossible>
void StepEvidence::decide(std::uint32_t domain, double ns, IsPossible&& is_possible) {
  for (SoughtStep& sought : steps_) {
    if (sought.domain != domain || ns < sought.first_ns || ns > sought.last_ns) continue;
    const ClockStep& step = correction_.steps[domain][sought.number];
    std::vector<double> shifted{ns};  // if the stamp may be from either side of others too, each combination
    for (const ClockStep& other : correction_.steps[domain]) {
      if (&other == &step) continue;
      const bool is_either = other.is_ambiguous_at(ns) && shifted.size() < kMostCombinations;
      if (is_either)
        for (std::size_t i = shifted.size(); i-- > 0;) shifted.push_back(shifted[i] - other.size_ns);
      else if (ns >= other.at_ns)
        for (double& one : shifted) one -= other.size_ns;
    }
    const double tolerance = std::min(ClockTuning::kSurely * std::abs(step.size_ns), ClockTuning::kPlaceDoubtNs);
    const auto corrected = [&](double t) { return t + correction_.extended(domain, t); };
    const auto may_be = [&](double size_ns) {
      return std::ranges::any_of(shifted, [&](double one) { return is_possible(corrected(one - size_ns), tolerance); });
    };
    const bool before = may_be(0);
    const bool after = may_be(step.size_ns);
    if (before && !after) sought.until_ns = std::max(sought.until_ns, ns);
    if (after && !before) sought.from_ns = std::min(sought.from_ns, ns);
  }
}

void StepEvidence::add_order(std::uint32_t from, std::int64_t enter_ns, std::uint32_t to, std::int64_t exit_ns) {
  const auto enter = static_cast<double>(enter_ns), exit = static_cast<double>(exit_ns);
  if (from == to || from == kNoDomain || to == kNoDomain) return;
  if (!correction_.steps[to].empty() && is_known(from, enter))
    must_follow(to, exit, correction_.corrected(from, enter));
  if (!correction_.steps[from].empty() && is_known(to, exit))
    must_precede(from, enter, correction_.corrected(to, exit));
}

void StepEvidence::must_follow(std::uint32_t domain, double ns, double need_ns) {
  decide(domain, ns, [&](double t, double tolerance) { return t > need_ns - tolerance; });
}

void StepEvidence::must_precede(std::uint32_t domain, double ns, double limit_ns) {
  decide(domain, ns, [&](double t, double tolerance) { return t < limit_ns + tolerance; });
}

void StepEvidence::add(std::span<const MatchedMessage> messages) {
  for (const MatchedMessage& one : messages)
    if (!one.is_ambiguous)
      add_order(domain_of(one.send.rank), one.send_enter_ns, domain_of(one.completion.rank), one.receive_leave_ns);
}

void StepEvidence::add(std::span<const CollectivePart> parts) {
  for (const CollectivePart& part : parts) {
    if (!instance_.empty() && instance_.front().instance != part.instance) add_instance();
    instance_.push_back(part);
  }
}

void StepEvidence::add_instance() {
  const auto follows = [](const CollectivePart& from, const CollectivePart& to) {
    return (from.shape == CollectiveShape::all_to_all && to.shape == from.shape) ||
           (from.shape == CollectiveShape::one_to_all && from.comm_rank == from.root) ||
           (to.shape == CollectiveShape::all_to_one && to.comm_rank == to.root);
  };
  for (const CollectivePart& own : instance_) {
    const std::uint32_t domain = domain_of(own.start.rank);
    const bool is_near = std::ranges::any_of(steps_, [&](const SoughtStep& step) {
      return step.domain == domain && static_cast<double>(own.leave_ns) >= step.first_ns &&
             static_cast<double>(own.enter_ns) <= step.last_ns;
    });
    if (!is_near) continue;
    for (const CollectivePart& other : instance_) {
      const std::uint32_t far = domain_of(other.start.rank);
      if (follows(own, other)) add_order(domain, own.enter_ns, far, other.leave_ns);
      if (follows(other, own)) add_order(far, other.enter_ns, domain, own.leave_ns);
    }
  }
  instance_.clear();
}

}  // namespace meridian
