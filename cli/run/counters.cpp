// SPDX-License-Identifier: Apache-2.0
#include "cli/run/counters.hpp"

#include <memory>
#include <string>
#include <vector>

#include "papi/counter_plan.hpp"
#include "trace/model/option_text.hpp"

namespace meridian {

Status check_counters(std::string_view names, bool may_take_turns) {
  std::string known;
  while (!names.empty()) {
    const std::string_view name = take_item(names, ',');
    if (!name.starts_with("sde:::")) known += std::string{name} + ",";
  }
  const auto plan = std::make_unique<CounterPlan>();
  plan_counters(known, false, *plan, may_take_turns);
  if (!plan->has_problems()) return {};
  std::vector<char> text(4096);
  describe_problems(*plan, text.data(), text.size());
  return Error{
      Errc::unsupported, std::string{"MERIDIAN_COUNTERS: "} + text.data(),
      "`meridian counters` lists the counters of this machine; without MERIDIAN_STRICT the run continues with fewer"};
}

}  // namespace meridian
