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

/// "; lines would do as well".
std::string shape_text(const ClockModelSummary& model) {
  const auto compared = [&](double own_s, const char* other, double other_s) {
    if (own_s < 0 || other_s < 0) return std::string{};
    return fmt::format(" (round trips that the fit has not seen are {} off, {} from {})", human_duration(own_s),
                       human_duration(other_s), other);
  };
  if (model.shape == "lines")
    return "; the clocks run straight: a line does as well" +
           compared(model.lines_unseen_s, "bends", model.bends_unseen_s);
  if (model.shape == "offsets")
    return "; the clocks run alike: a constant offset does as well" +
           compared(model.lines_unseen_s, "bends", model.bends_unseen_s);
  if (model.shape == "bends" && model.lines_unseen_s >= 0)
    return "; the clocks bend" + compared(model.bends_unseen_s, "a line", model.lines_unseen_s);
  return model.shape == "bends" ? "; the clocks bend: lines contradict the messages" : "";
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
  double worst_s = 0;
  std::size_t bound = 0, unbound = 0;
  for (const ClockSummary& clock : summary.clocks) {
    if (clock.model == "reference" || clock.model == "shared") continue;
    ++(clock.t1_s < 0 ? unbound : bound);
    worst_s = std::max(worst_s, clock.t1_s);
  }
  std::string text;
  if (bound == 0)
    text = "no bounds hold for the times";
  else
    text = fmt::format("times are good to {} on {} (T1)", human_duration(worst_s),
                       unbound == 0 ? "all hosts" : of_hosts(bound) + ", without bounds on " + of_hosts(unbound));
  return text + shape_text(*model) + (bound == 0 ? "" : waits_text(summary, worst_s));
}

}  // namespace meridian
