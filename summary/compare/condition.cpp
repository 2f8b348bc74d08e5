// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/condition.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "summary/compare/figures.hpp"

namespace meridian {
namespace {

using Operator = Condition::Operator;

constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators{{{"<=", Operator::at_most},
                                                                           {">=", Operator::at_least},
                                                                           {"==", Operator::equal},
                                                                           {"!=", Operator::different},
                                                                           {"<", Operator::less},
                                                                           {">", Operator::more}}};

std::string_view operator_text(Operator op) {
  for (const auto& [text, value] : kOperators)
    if (value == op) return text;
  return "";
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool holds(double value, Operator op, double number) {
  switch (op) {
    case Operator::less:
      return value < number;
    case Operator::at_most:
      return value <= number;
    case Operator::more:
      return value > number;
    case Operator::at_least:
      return value >= number;
    case Operator::equal:
      return value == number;
    case Operator::different:
      return value != number;
  }
  return false;
}

/// "0.5", "100000"
std::string number_text(double value) {
  const bool is_whole = std::fabs(value) < 1e15 && std::floor(value) == value;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

Result<double> mean_of(const Condition& condition, std::span<const RunProfile> runs,
                       std::span<const std::string_view> problems) {
  double sum = 0;
  for (const RunProfile& run : runs) {
    MERIDIAN_TRY(const double value, figure_of(run, condition.name, problems));
    if (!std::isfinite(value))
      return Error{Errc::not_found,
                   fmt::format("cannot check '{}': '{}' does not have this figure", condition.text, run.source),
                   "merge it again; instructions, ipc and frequency need counters (docs/COUNTERS.md), energy and power "
                   "readable ones of the kernel (docs/ENERGY.md)"};
    sum += value;
  }
  return sum / static_cast<double>(runs.size());
}

}  // namespace

Result<Condition> parse_condition(std::string_view text) {
  const Error malformed{Errc::invalid_argument,
                        fmt::format("--fail-if '{}': not of the form NAME OPERATOR NUMBER", text),
                        "for example --fail-if 'parallel_efficiency < 80%'; operators are < <= > >= == !="};
  // The last operator: names of regions may contain others.
  const std::size_t last = text.find_last_of("<>=!");
  if (last == std::string_view::npos) return malformed;
  const std::size_t first = last > 0 && text[last] == '=' ? last - 1 : last;
  const std::string_view word = text.substr(first, last + 1 - first);
  Condition condition{.text = std::string{text}, .name = std::string{trimmed(text.substr(0, first))}};
  bool is_operator = false;
  for (const auto& [shown, op] : kOperators) {
    if (shown != word) continue;
    condition.op = op;
    is_operator = true;
  }
  std::string_view number = trimmed(text.substr(last + 1));
  const char suffix = number.empty() ? '\0' : number.back();
  condition.is_ratio = suffix == 'x';
  if (suffix == 'x' || suffix == '%') number = trimmed(number.substr(0, number.size() - 1));
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), condition.number);
  const bool is_number =
      problem == std::errc{} && end == number.data() + number.size() && std::isfinite(condition.number);
  // Only names of objects may contain operators.
  const bool is_plain = condition.name.find(':') == std::string::npos;
  if (is_plain && condition.name.find_first_of("<>=!") != std::string::npos) return malformed;
  if (!is_operator || condition.name.empty() || number.empty() || !is_number) return malformed;
  if (condition.is_ratio && condition.number < 0)
    return Error{Errc::invalid_argument, fmt::format("--fail-if '{}': a ratio of two runs is not less than 0", text),
                 fmt::format("for more than a tenth more, write '{} > 1.1x'", condition.name)};
  condition.is_percent = suffix == '%';
  if (condition.is_percent) condition.number /= 100;
  return condition;
}

Result<Verdict> evaluate(const Condition& condition, std::span<const RunProfile> before,
                         std::span<const RunProfile> after, std::span<const std::string_view> problems) {
  if (const std::optional<FigureUnit> unit = unit_of_figure(condition.name);
      condition.is_percent && unit && *unit != FigureUnit::share) {
    const std::string shown = number_text(condition.number * 100);
    const std::string_view name = unit_name(*unit);
    return Error{Errc::invalid_argument,
                 fmt::format("--fail-if '{}': '{}' is no share of anything", condition.text, condition.name),
                 fmt::format("give a number{}, such as '{} {} {}'", name.empty() ? "" : fmt::format(" of {}", name),
                             condition.name, operator_text(condition.op), shown)};
  }
  MERIDIAN_TRY(const double now, mean_of(condition, after, problems));
  const std::string_view op = operator_text(condition.op);
  if (!condition.is_ratio) {
    Verdict verdict{.is_true = holds(now, condition.op, condition.number), .sentence = {}};
    if (verdict.is_true)
      verdict.sentence =
          fmt::format("{} is {}, which is {} {}", condition.name, number_text(now), op, number_text(condition.number));
    return verdict;
  }
  if (before.empty())
    return Error{Errc::invalid_argument, fmt::format("--fail-if '{}': a ratio needs two runs", condition.text),
                 "give a number without x, or use `meridian compare`"};
  MERIDIAN_TRY(const double then, mean_of(condition, before, problems));
  // Nothing twice is no change; something after nothing is infinitely more.
  const double ratio = then == 0 && now == 0 ? 1 : now / then;
  Verdict verdict{.is_true = holds(ratio, condition.op, condition.number), .sentence = {}};
  if (verdict.is_true)
    verdict.sentence = fmt::format("{} was {} and is {}: {}x, which is {} {}x", condition.name, number_text(then),
                                   number_text(now), number_text(ratio), op, number_text(condition.number));
  return verdict;
}

}  // namespace meridian
