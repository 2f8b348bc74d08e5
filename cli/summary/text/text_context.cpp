// SPDX-License-Identifier: Apache-2.0
// Section CONTEXT: hosts, programs and resources of the ranks.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kContextLabelWidth = 10;

/// A field of one or more lines; further lines are indented like the first.
std::string context_field(const char* label, const std::string& value) {
  std::string text = wrapped(value, kContextLabelWidth + 2, prose_width());
  text.replace(0, kContextLabelWidth + 2, fmt::format("  {:<{}}", label, kContextLabelWidth));
  return text;
}

/// The value that all ranks have in common; otherwise that of the first and the number of ranks with another one.
std::string common(const std::vector<ContextSummary>& context, std::string ContextSummary::*member) {
  std::set<std::string> values;
  for (const ContextSummary& row : context) values.insert(row.*member);
  std::string first = printable(context.front().*member);
  if (values.size() == 1) return first;
  return fmt::format("{} (rank {}; {} others)", first, context.front().rank, values.size() - 1);
}

/// "rank 0: 0-1, ranks 1-3: 2-3": processors of neighbouring ranks with the same binding.
std::string binding(const std::vector<ContextSummary>& context) {
  std::string text;
  for (std::size_t first = 0; first < context.size();) {
    std::size_t last = first;
    while (last + 1 < context.size() && context[last + 1].cpus == context[first].cpus) ++last;
    const std::string cpus = printable(context[first].cpus);
    if (first == 0 && last + 1 == context.size()) return cpus + (context.size() > 1 ? " (all ranks)" : "");
    if (text.size() > 200) return text + ", ...";
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("rank {}: {}", context[first].rank, cpus)
                          : fmt::format("ranks {}-{}: {}", context[first].rank, context[last].rank, cpus);
    first = last + 1;
  }
  return text;
}

}  // namespace

std::string context_section(const Summary& summary, const Paint& paint) {
  std::string result;
  if (!summary.context.empty()) {
    const auto add = [&](const char* label, const std::string& value) {
      if (!value.empty()) result += context_field(label, value);
    };
    add("command", common(summary.context, &ContextSummary::command));
    add("processor", common(summary.context, &ContextSummary::cpu_model));
    add("bound to", binding(summary.context));
  }
  UsageSummary all;
  const UsageSummary* largest = nullptr;
  for (const UsageSummary& usage : summary.usage) {
    if (usage.thread != -1) continue;
    all.user_s += usage.user_s;
    all.system_s += usage.system_s;
    all.minor_faults += usage.minor_faults;
    all.major_faults += usage.major_faults;
    all.voluntary_switches += usage.voluntary_switches;
    all.involuntary_switches += usage.involuntary_switches;
    all.high_water_bytes += usage.high_water_bytes;
    if (largest == nullptr || usage.high_water_bytes > largest->high_water_bytes) largest = &usage;
  }
  if (largest != nullptr) {
    result += context_field("CPU time", fmt::format("{} user, {} system, all ranks from their start",
                                                    human_duration(all.user_s), human_duration(all.system_s)));
    result += context_field(
        "memory", fmt::format("at most {} (rank {}); {} over all ranks", human_bytes(largest->high_water_bytes),
                              largest->rank, human_bytes(all.high_water_bytes)));
    result += context_field(
        "faults", fmt::format("{} minor, {} major; switches: {} voluntary, {} not", human_count(all.minor_faults),
                              human_count(all.major_faults), human_count(all.voluntary_switches),
                              human_count(all.involuntary_switches)));
  }
  return result.empty() ? result : paint.heading("CONTEXT") + "\n" + result;
}

}  // namespace meridian
