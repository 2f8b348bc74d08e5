// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/wait_sums.hpp"

#include <algorithm>
#include <string>

#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostRows = 1 << 16;

}  // namespace

WaitSums::WaitSums(const MergedTrace& trace, ClockBounds bounds, WaitSink* sink)
    : trace_{trace}, bounds_{std::move(bounds)}, sink_{sink}, places_{trace.definitions()} {
  for (const MergedLocation& location : trace.definitions().locations)
    domains_.push_back(trace.definitions().clock_domain(location.rank).value_or(0));
}

std::int32_t WaitSums::rank_of(const WindowEvent& event) const {
  const auto& locations = trace_.definitions().locations;
  return event.location < locations.size() ? locations[event.location].rank : -1;
}

/// The most by which the difference of two calls' times may be wrong, ns; 0 within one clock.
std::int64_t WaitSums::doubt(const WindowEvent& a, std::int64_t at_a_ns, const WindowEvent& b,
                             std::int64_t at_b_ns) const {
  const std::uint32_t domain_a = domains_[a.location], domain_b = domains_[b.location];
  if (domain_a == domain_b) return 0;
  const auto at_a = bounds_.at(domain_a, at_a_ns, BoundLevel::t1);
  const auto at_b = bounds_.at(domain_b, at_b_ns, BoundLevel::t1);
  return (at_a ? at_a->half_width_ns() : 0) + (at_b ? at_b->half_width_ns() : 0);
}

WaitSums::Sum& WaitSums::sum_of(const FoundWait& wait, const WindowEvent& waiter) {
  Key key{wait.kind,
          rank_of(waiter),
          waiter.call,
          places_.of_site(waiter.site),
          rank_of(wait.causer),
          wait.causer.call,
          places_.of_site(wait.causer.site)};
  if (waits_.size() >= kMostRows && !waits_.contains(key))
    key = {wait.kind, rank_of(waiter), waiter.call, 0, -1, UINT32_MAX, 0};
  return waits_[key];
}

Status WaitSums::add(const FoundWait& wait, const WindowEvent& waiter, bool is_new) {
  Sum& sum = sum_of(wait, waiter);
  if (wait.ns <= doubt(waiter, waiter.enter_ns, wait.causer, wait.causer.enter_ns)) {
    sum.unresolved += is_new ? 1 : 0;
    return {};
  }
  std::pair pair{rank_of(waiter), rank_of(wait.causer)};
  if (pairs_.size() >= kMostRows && !pairs_.contains(pair)) pair.second = -1;
  Sum& of_pair = pairs_[pair];
  for (Sum* const of : {&sum, &of_pair}) {
    of->count += is_new ? 1 : 0;
    of->ns += wait.ns;
    of->longest_ns = std::max(of->longest_ns, wait.ns);
  }
  return sink_ == nullptr ? Status{} : sink_->append({waiter.row, wait.causer.row, wait.ns, wait.kind});
}

void WaitSums::add_completion(WaitKind kind, std::int64_t ns, const WindowEvent& here, const WindowEvent& first) {
  Sum& sum = sum_of({kind, ns, first}, here);
  if (ns <= doubt(here, here.leave_ns, first, first.leave_ns)) {
    ++sum.unresolved;
    return;
  }
  ++sum.count;
  sum.ns += ns;
  sum.longest_ns = std::max(sum.longest_ns, ns);
}

std::vector<WaitSummary> WaitSums::rows() const {
  const MergedDefinitions& definitions = trace_.definitions();
  std::vector<WaitSummary> list;
  for (const auto& [key, sum] : waits_) {
    const auto& [kind, rank, call, place, causer, causer_call, causer_place] = key;
    list.push_back({std::string{kWaitKindNames[static_cast<std::size_t>(kind)]}, rank,
                    std::string{definitions.call_name(call)}, std::string{places_.name(place)}, causer,
                    std::string{definitions.call_name(causer_call)}, std::string{places_.name(causer_place)}, sum.count,
                    sum.unresolved, seconds(sum.ns), seconds(sum.longest_ns)});
  }
  std::ranges::stable_sort(list, [](const WaitSummary& a, const WaitSummary& b) { return a.total_s > b.total_s; });
  return list;
}

std::vector<WaitPairSummary> WaitSums::pairs() const {
  std::int64_t all_ns = 0;
  for (const auto& [key, sum] : pairs_) all_ns += sum.ns;
  std::vector<WaitPairSummary> list;
  for (const auto& [key, sum] : pairs_)
    list.push_back(
        {key.first, key.second, sum.count, seconds(sum.ns), static_cast<double>(sum.ns) / static_cast<double>(all_ns)});
  std::ranges::stable_sort(list,
                           [](const WaitPairSummary& a, const WaitPairSummary& b) { return a.total_s > b.total_s; });
  return list;
}

}  // namespace meridian
