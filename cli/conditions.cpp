// SPDX-License-Identifier: Apache-2.0
#include "cli/conditions.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "merged/model/event_waits.hpp"
#include "summary/compare/figures.hpp"
#include "summary/problems/problems.hpp"

namespace meridian {
namespace {

std::vector<std::string_view> problem_names() {
  std::vector<std::string_view> names{kProblemNames.begin(), kProblemNames.end()};
  names.insert(names.end(), std::begin(kWaitKindNames), std::end(kWaitKindNames));
  return names;
}

std::string figure_entry(std::string_view name, FigureUnit unit, std::string_view text) {
  constexpr std::size_t kFigureColumn = 28;
  const std::string shown = fmt::format("  {} ", name);
  const std::string_view named = unit == FigureUnit::share ? "share" : unit_name(unit);
  std::string lines = wrapped(fmt::format("{}{}", named.empty() ? "" : fmt::format("[{}] ", named), text),
                              kFigureColumn, prose_width());
  if (shown.size() > kFigureColumn) return shown + "\n" + lines;
  return lines.replace(0, shown.size(), shown);
}

}  // namespace

void add_condition_options(Command& command, ConditionOptions& options) {
  command.options.push_back({"--fail-if", "CONDITION",
                             "Exit with 2 if this holds, such as 'parallel_efficiency < 80%'; may be repeated",
                             &options.fail_if});
  command.options.push_back(
      {"--list-figures", "", "Print the figures that conditions may name, and exit", &options.is_list});
}

Result<std::vector<Condition>> parse_conditions(const ConditionOptions& options) {
  std::vector<Condition> conditions;
  for (const std::string& text : options.fail_if) {
    MERIDIAN_TRY(Condition condition, parse_condition(text));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

Result<std::vector<CheckedCondition>> check_conditions(const std::vector<Condition>& conditions,
                                                       std::span<const RunProfile> before,
                                                       std::span<const RunProfile> after) {
  std::vector<CheckedCondition> checked;
  const std::vector<std::string_view> problems = problem_names();
  for (const Condition& condition : conditions) {
    MERIDIAN_TRY(Verdict verdict, evaluate(condition, before, after, problems));
    checked.push_back({condition.text, std::move(verdict)});
  }
  return checked;
}

bool report_conditions(const std::vector<CheckedCondition>& conditions) {
  bool is_any = false;
  for (const CheckedCondition& condition : conditions) {
    if (!condition.verdict.is_true) continue;
    is_any = true;
    report({Errc{}, fmt::format("{} (--fail-if '{}')", condition.verdict.sentence, condition.text), ""});
  }
  return is_any;
}

std::string figures_text() {
  std::string text = "FIGURES\n";
  for (const Figure& figure : figures()) text += figure_entry(figure.name, figure.unit, figure.text);
  text += "FIGURES OF AN OBJECT, such as seconds:MPI_Send or problem:late_sender\n";
  for (const FigureFamily& family : figure_families())
    text += figure_entry(fmt::format("{}:{}", family.name, family.object), family.unit, family.text);
  return text;
}

}  // namespace meridian
