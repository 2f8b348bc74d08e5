// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/compare/report.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

struct Kind {
  const char* word;
  bool (*has)(const ItemChange&);
};
constexpr std::array kKinds{
    Kind{"gone", [](const ItemChange& change) { return change.status == "gone"; }},
    Kind{"new", [](const ItemChange& change) { return change.status == "appeared"; }},
    Kind{"smaller", [](const ItemChange& change) { return change.status == "changed" && change.change_s < 0; }},
    Kind{"larger", [](const ItemChange& change) { return change.status == "changed" && change.change_s > 0; }},
};

std::string problem_text(const ItemChange& change) {
  const std::string& place = change.place.empty() ? change.function : change.place;
  std::string text = change.name;
  if (!place.empty()) text += fmt::format(" at {}", place);
  if (change.status == "changed")
    return text +
           fmt::format(", {} a rank, before {}", human_duration(change.after_s), human_duration(change.before_s));
  return text + fmt::format(", {} a rank", human_duration(std::fabs(change.change_s)));
}

/// The function of the program whose time changed most.
std::string function_sentence(const ComparisonReport& report) {
  for (const ItemChange& change : report.comparisons.back().changes)  // of a subject, the largest change is first
    if (change.subject == Subject::program_function && change.is_notable)
      return fmt::format(" Of the program's functions {}{} changed most: {} a rank, before {}.", change.name,
                         change.place.empty() ? "" : fmt::format(" ({})", change.place), human_duration(change.after_s),
                         human_duration(change.before_s));
  return {};
}

}  // namespace

std::string closing_sentence(const ComparisonReport& report) {
  std::string text;
  for (const Kind& kind : kKinds) {
    const ItemChange* largest = nullptr;
    std::size_t more = 0;
    for (const ItemChange& change : report.comparisons.back().changes) {
      if (change.subject != Subject::problem || !change.is_notable || !kind.has(change)) continue;
      if (largest != nullptr) ++more;
      if (largest == nullptr || std::fabs(change.change_s) > std::fabs(largest->change_s)) largest = &change;
    }
    if (largest == nullptr) continue;
    text += fmt::format("{}{}: {} ({} of the run before)", text.empty() ? "Problems " : "; ", kind.word,
                        problem_text(*largest), human_percent(std::fabs(largest->share)));
    if (more > 0) text += fmt::format(" and {} more", more);
  }
  text = text.empty() ? "No problem came, went or changed by 0.1 % of the run or more." : text + ".";
  return text + function_sentence(report);
}

}  // namespace meridian
