// SPDX-License-Identifier: Apache-2.0
#include "summary/clock_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "summary/units.hpp"

namespace meridian {
namespace {

std::string of_hosts(std::size_t count) { return count == 1 ? "one host" : fmt::format("{} hosts", count); }

/// Whether messages are received before they are sent under each model with straight clocks.
bool do_all_lines_reverse(const Summary& summary) {
  return std::ranges::all_of(summary.clock_models, [](const ClockModelSummary& model) {
    return model.name == "meridian" || model.reversed != 0;
  });
}

/// "; the clocks run straight: a line does as well". The choice follows from all round trips with their doubts; medians are given
/// only where they say the same.
std::string shape_text(const Summary& summary, const ClockModelSummary& model) {
  const auto compared = [](double own_s, const char* other, double other_s) {
    if (own_s < 0 || other_s < own_s) return std::string{};
    return fmt::format(" (round trips that the fit has not seen are {} off, {} from {})", human_duration(own_s),
                       human_duration(other_s), other);
  };
  const auto straight = [&](std::string_view how, std::string_view what) {
    if (model.lines_unseen_s > model.bends_unseen_s)
      return fmt::format("; the clocks run {}: what they bend by is within the scatter of the round trips", how);
    return fmt::format("; the clocks run {}: {} does as well{}", how, what,
                       compared(model.lines_unseen_s, "bends", model.bends_unseen_s));
  };
  if (model.shape == "lines") return straight("straight", "a line");
  if (model.shape == "offsets") return straight("alike", "a constant offset");
  if (model.shape != "bends") return "";
  if (model.lines_unseen_s >= 0)
    return "; the clocks bend" + compared(model.bends_unseen_s, "a line", model.lines_unseen_s);
  return do_all_lines_reverse(summary) ? "; the clocks bend: lines contradict the messages"
                                       : "; the clocks bend: bends fit the samples better than lines";
}

/// "95 % of all times are good to 5.20 us (T1)": of the clocks that are not the reference, over the whole run.
std::string bounds_text(const Summary& summary) {
  double typical_s = 0, most_s = 0, unbound_share = 0;
  std::size_t bound = 0, unbound = 0;
  bool is_known = true;
  for (const ClockSummary& clock : summary.clocks) {
    if (clock.model == "reference" || clock.model == "shared") continue;
    ++(clock.t1_s < 0 ? unbound : bound);
    typical_s = std::max(typical_s, clock.t1_s);
    most_s = std::max(most_s, clock.t1_most_s);
    is_known = is_known && clock.unbound_share >= 0;
    unbound_share += clock.unbound_share;
  }
  if (bound == 0) return "no bounds hold for the times";
  const std::string hosts = unbound == 0 ? "" : ", among them all of " + of_hosts(unbound);
  if (!is_known)  // a summary of an earlier version
    return fmt::format("times are typically good to {} (T1){}", human_duration(typical_s),
                       unbound == 0 ? "" : ", without bounds on " + of_hosts(unbound));
  unbound_share /= static_cast<double>(bound + unbound);
  const std::string without =
      unbound_share == 0 ? "every time has bounds" : human_percent(unbound_share) + " have none" + hosts;
  return fmt::format("{} of all times are good to {} (T1); {}",
                     human_percent(ClockSummary::kMostTimes * (1 - unbound_share)), human_duration(most_s), without);
}

/// A warning if the bounds are as wide as half of a typical wait.
std::string waits_text(const Summary& summary, double t1_s) {
  double total_s = 0;
  std::uint64_t count = 0;
  for (const WaitSummary& wait : summary.waits) total_s += wait.total_s, count += wait.count;
  if (count == 0) return {};
  const double mean_s = total_s / static_cast<double>(count);
  if (t1_s < mean_s / 2) return {};
  return fmt::format(". A wait takes {} on average: do not rely on single ones", human_duration(mean_s));
}

}  // namespace

std::string clock_verdict(const Summary& summary) {
  if (summary.clocks.empty()) return {};
  if (summary.clocks.size() == 1) return "all ranks read the same clock: there is nothing to correct";
  const auto model =
      std::ranges::find_if(summary.clock_models, [](const ClockModelSummary& one) { return one.is_chosen; });
  if (model == summary.clock_models.end()) return {};
  if (model->name != "meridian") return "this model of the clocks gives no bounds for the error of the times";
  double worst_s = -1;
  for (const ClockSummary& clock : summary.clocks) worst_s = std::max(worst_s, clock.t1_s);
  return bounds_text(summary) + shape_text(summary, *model) + (worst_s < 0 ? "" : waits_text(summary, worst_s));
}

}  // namespace meridian
