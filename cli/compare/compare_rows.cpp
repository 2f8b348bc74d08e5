// SPDX-License-Identifier: Apache-2.0
// JSON and CSV of `meridian compare`.

#include <cmath>

#include "cli/compare/report.hpp"
#include "cli/summary/csv.hpp"
#include "cli/summary/json_rows.hpp"
#include "cli/support/json_text.hpp"
#include "summary/compare/figures.hpp"
#include "summary/measures.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

/// One run of a group.
struct RunRow {
  std::string group;
  std::string source;
  std::string executable;
  std::string begin;
  double ranks = 0;
  double time_s = 0;

  template <class Row = RunRow>
  static constexpr auto kColumns = Columns{
      column<&Row::group>("group", "", "label"),
      column<&Row::source>("source", "", "path, as given"),
      column<&Row::executable>("executable", "", "of the program"),
      column<&Row::begin>("begin", "", "first event; empty: unknown"),
      column<&Row::ranks>("ranks", "", "in the trace"),
      column<&Row::time_s>("time_s", "s", "from the first event to the last"),
  };
};

RunRow row_of(const RunGroup& group, const RunProfile& run) {
  return {group.label, run.source, run.executable, utc_time(run.begin_realtime_ns), run.ranks, run.time_s};
}

template <class Row>
void add_rows(const char* section, const std::vector<Row>& rows, std::string& csv) {
  add_csv_rows({section, Row::template kColumns<>, rows.data(), rows.size(), sizeof(Row)}, csv);
}

}  // namespace

std::string comparison_json(const ComparisonReport& report) {
  Json json;
  json["schema"] = "meridian-comparison";
  json["version"] = kComparisonJsonVersion;
  json["groups"] = Json::array();
  for (const RunGroup& group : report.groups) {
    Json runs = Json::array();
    for (const RunProfile& run : group.runs) {
      const RunRow columns = row_of(group, run);
      Json& row = runs.emplace_back(json_row(RunRow::kColumns<>, &columns));
      row.erase("group");
      for (std::size_t i = 0; i < figures().size(); ++i)
        row["figures"][std::string{figures()[i].name}] = run.figures[i];
    }
    json["groups"].push_back({{"label", group.label}, {"runs", std::move(runs)}});
  }
  json["notes"] = report.notes;
  json["comparisons"] = Json::array();
  for (std::size_t i = 0; i < report.comparisons.size(); ++i)
    json["comparisons"].push_back({{"before", report.groups.front().label},
                                   {"after", report.groups[i + 1].label},
                                   {"figures", json_rows(FigureChange::kColumns<>, report.comparisons[i].figures)},
                                   {"changes", json_rows(ItemChange::kColumns<>, report.comparisons[i].changes)}});
  json["weak"] = report.is_weak;
  json["scaling"] = json_rows(ScalingRow::kColumns<>, report.scaling);
  json["conditions"] = Json::array();
  for (const CheckedCondition& condition : report.conditions)
    json["conditions"].push_back(
        {{"text", condition.text}, {"true", condition.verdict.is_true}, {"sentence", condition.verdict.sentence}});
  return json_text(json);
}

std::string comparison_csv(const ComparisonReport& report) {
  std::string csv;
  std::vector<RunRow> runs;
  for (const RunGroup& group : report.groups)
    for (const RunProfile& run : group.runs) runs.push_back(row_of(group, run));
  add_rows("runs", runs, csv);
  add_rows("scaling", report.scaling, csv);
  // The last group against the first one, as in the text.
  add_rows("figures", report.comparisons.back().figures, csv);
  add_rows("changes", report.comparisons.back().changes, csv);
  return csv;
}

}  // namespace meridian
