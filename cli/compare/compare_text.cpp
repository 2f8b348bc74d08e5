// SPDX-License-Identifier: Apache-2.0
// The text of `meridian compare`.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/compare/report.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "summary/compare/figures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostGroups = 5;       ///< columns of figures
constexpr double kLeastFigureChange = 0.01;  ///< ratio from which on a figure is shown

std::string comparison_lines(const std::string& text) { return wrapped(printable(text), kIndent, prose_width()); }

std::string signed_text(double value, const std::string& text) { return value > 0 ? "+" + text : text; }

std::string change_percent(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  const std::string text = human_percent(ratio - 1);
  return text.front() == '<' || text.front() == '>' ? text : signed_text(ratio - 1, text);
}

std::string p_text(double p_value) {
  if (!std::isfinite(p_value)) return "";
  return p_value < 0.001 ? "<0.001" : fmt::format("{:.3f}", p_value);
}

FigureUnit unit_of(const FigureChange& change) {
  return std::ranges::find(figures(), change.name, &Figure::name)->unit;
}

/// A count over all ranks, or the mean of repeats.
std::string count_text(double value) {
  const bool is_whole = value >= 0 && value < 1e18 && std::floor(value) == value;
  return is_whole ? human_count(static_cast<std::uint64_t>(value)) : human_figure(value);
}

std::string figure_text(double value, FigureUnit unit) {
  if (!std::isfinite(value)) return "-";
  switch (unit) {
    case FigureUnit::seconds:
      return human_duration(value);
    case FigureUnit::bytes:
      return human_bytes(value);
    case FigureUnit::share:
      return human_percent(value);
    case FigureUnit::hertz:
      return human_figure(value);
    case FigureUnit::joules:
      return human_joules(value);
    case FigureUnit::watts:
      return human_watts(value);
    case FigureUnit::count:
      break;
  }
  return count_text(value);
}

/// Of shares in points of a hundredth, otherwise in percent.
std::string figure_change_text(const FigureChange& change, FigureUnit unit) {
  if (change.change == 0) return "=";
  if (unit == FigureUnit::share && std::fabs(change.change) < 0.0005) return "0.0 points";
  if (unit == FigureUnit::share && std::isfinite(change.change))
    return fmt::format("{:+.1f} points", change.change * 100);
  return change_percent(change.ratio);
}

/// How a column or a sentence names a group.
std::string short_label(const ComparisonReport& report, std::size_t group) {
  if (report.groups.size() > 2) return fmt::format("run {}", group + 1);
  return group == 0 ? "before" : "after";
}

std::string describe_group(const RunGroup& group) {
  std::vector<double> times;
  for (const RunProfile& run : group.runs) times.push_back(run.time_s);
  const Sample time = sample_of(times);
  const RunProfile& first = group.runs.front();
  std::string text = fmt::format("{}: {}, {:.0f} {}, {}", group.label, first.executable, first.ranks,
                                 first.ranks == 1 ? "rank" : "ranks", human_duration(time.mean));
  if (time.count > 1)
    text += fmt::format(" (mean of {} runs, standard deviation {})", time.count, human_duration(time.sd));
  return text;
}

std::string head_section(const ComparisonReport& report, const Paint& paint) {
  std::string text = paint.heading("COMPARISON") + "\n";
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    const std::string label = fmt::format("{:<7} ", short_label(report, i));
    std::string line = wrapped(printable(describe_group(report.groups[i])), kIndent + label.size(), prose_width());
    text += line.replace(kIndent, label.size(), label);
  }
  text += comparison_lines(describe_time(report.groups.front(), report.groups.back(), report.comparisons.back()));
  for (const std::string& note : report.notes) text += comparison_lines(note);
  return text;
}

bool is_figure_shown(const ComparisonReport& report, std::size_t figure) {
  if (figures()[figure].name == "thread_efficiency" || figures()[figure].name == "ipc")
    return std::isfinite(report.comparisons.back().figures[figure].before) &&
           (report.comparisons.back().figures[figure].before != 1 ||
            report.comparisons.back().figures[figure].after != 1);
  if (figures()[figure].is_always_compared) return true;
  return std::ranges::any_of(report.comparisons, [&](const Comparison& comparison) {
    return std::fabs(comparison.figures[figure].ratio - 1) >= kLeastFigureChange;
  });
}

std::string figures_section(const ComparisonReport& report, const Paint& paint) {
  const std::size_t groups = report.groups.size();
  const bool is_pair = groups == 2;
  const bool has_test = is_pair && std::isfinite(report.comparisons.front().figures.front().test.p_value);
  // The first group and the last ones.
  std::vector<std::size_t> shown{0};
  for (std::size_t i = groups > kMostGroups ? groups - kMostGroups + 1 : 1; i < groups; ++i) shown.push_back(i);
  std::vector<Table::Column> columns{{"figure", Align::left}};
  for (const std::size_t group : shown) columns.push_back({short_label(report, group)});
  columns.push_back({is_pair ? "change" : "last : first"});
  if (has_test) columns.push_back({"p"});
  Table table{std::move(columns)};
  for (std::size_t i = 0; i < figures().size(); ++i) {
    if (!is_figure_shown(report, i)) continue;
    const FigureChange& last = report.comparisons.back().figures[i];
    const FigureUnit unit = unit_of(last);
    std::vector<std::string> cells{last.name};
    for (const std::size_t group : shown)
      cells.push_back(figure_text(group == 0 ? last.before : report.comparisons[group - 1].figures[i].after, unit));
    cells.push_back(figure_change_text(last, unit));
    if (has_test) cells.push_back(p_text(last.test.p_value));
    table.add(std::move(cells));
  }
  std::string text =
      paint.heading("FIGURES") + "\n" + table.text([&](const std::string& line) { return paint.title(line); });
  if (shown.size() < groups) text += comparison_lines("The runs between are in --json.");
  return text;
}

std::string ratio_text(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

std::string scaling_section(const ComparisonReport& report, const Paint& paint) {
  if (report.scaling.empty()) return {};
  const bool has_counters =
      std::ranges::any_of(report.scaling, [](const ScalingRow& row) { return std::isfinite(row.instructions); });
  const bool has_threads =
      std::ranges::any_of(report.scaling, [](const ScalingRow& row) { return row.threads != row.ranks; });
  std::vector<Table::Column> columns{{"ranks"}};
  if (has_threads) columns.push_back({"threads"});
  for (const char* const title : {"time", "speedup", "efficiency", "global", "parallel", "computation"})
    columns.push_back({title});
  if (has_counters)
    for (const char* const title : {"instr.", "IPC", "freq."}) columns.push_back({title});
  Table table{std::move(columns)};
  for (const ScalingRow& row : report.scaling) {
    std::vector<std::string> cells{fmt::format("{:.0f}", row.ranks)};
    if (has_threads) cells.push_back(std::isfinite(row.threads) ? fmt::format("{:.0f}", row.threads) : "-");
    cells.push_back(human_duration(row.time_s));
    cells.push_back(ratio_text(row.speedup));
    cells.push_back(human_percent(row.efficiency));
    cells.push_back(human_percent(row.global));
    cells.push_back(human_percent(row.parallel));
    cells.push_back(ratio_text(row.computation));
    if (has_counters)
      for (const double value : {row.instructions, row.ipc, row.frequency}) cells.push_back(ratio_text(value));
    table.add(std::move(cells));
  }
  return paint.heading(fmt::format("SCALING ({}; global = parallel x computation)",
                                   report.is_weak ? "weak: the same work for each thread" : "strong: the same work")) +
         "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

struct ChangeSection {
  Subject subject;
  const char* heading;
  const char* title;
};
constexpr std::array kChangeSections{ChangeSection{Subject::problem, "PROBLEMS", "problem"},
                                     ChangeSection{Subject::state, "STATES OF THE THREADS", "state"},
                                     ChangeSection{Subject::program_function, "FUNCTIONS OF THE PROGRAM", "function"},
                                     ChangeSection{Subject::function, "FUNCTIONS", "function"},
                                     ChangeSection{Subject::site, "CALL SITES", "function"},
                                     ChangeSection{Subject::region, "REGIONS", "region"},
                                     ChangeSection{Subject::wait, "WAIT STATES", "wait"}};

std::string place_cell(const ItemChange& change) {
  const std::string& place = change.place.empty() ? change.function : change.place;
  return place.empty() ? "-" : printable(place);
}

std::string change_section(const ComparisonReport& report, const ChangeSection& section, const Paint& paint,
                           std::size_t most) {
  const std::vector<ItemChange>& all = report.comparisons.back().changes;
  std::vector<const ItemChange*> notable;
  for (const ItemChange& change : all)
    if (change.subject == section.subject && change.is_notable) notable.push_back(&change);
  if (notable.empty()) return {};
  const bool has_place =
      section.subject != Subject::state && section.subject != Subject::function && section.subject != Subject::region;
  const bool has_count = section.subject == Subject::function || section.subject == Subject::region;
  const bool has_test =
      std::ranges::any_of(notable, [](const ItemChange* change) { return std::isfinite(change->test.p_value); });
  std::vector<Table::Column> columns;
  if (has_place) columns.push_back({"at", Align::left});
  columns.push_back({section.title, Align::left, Shortening::function});
  if (has_count) columns.insert(columns.end(), {{"calls"}, {"now"}});
  columns.insert(columns.end(), {{"before"}, {"after"}, {"change"}, {"of run"}});
  if (has_test) columns.push_back({"p"});
  Table table{std::move(columns)};
  const std::size_t shown = std::min(most, notable.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ItemChange& change = *notable[i];
    std::vector<std::string> cells;
    if (has_place) cells.push_back(place_cell(change));
    cells.push_back(printable(change.name));
    if (has_count) {
      cells.push_back(count_text(change.before.count));
      cells.push_back(count_text(change.after.count));
    }
    cells.push_back(change.status == "appeared" ? "-" : human_duration(change.before_s));
    cells.push_back(change.status == "gone" ? "gone" : human_duration(change.after_s));
    cells.push_back(signed_text(change.change_s, human_duration(change.change_s)));
    cells.push_back(human_percent(std::fabs(change.share)));
    if (has_test) cells.push_back(p_text(change.test.p_value));
    table.add(std::move(cells));
  }
  return paint.heading(fmt::format("{} ({}; seconds a rank)", section.heading, how_many(shown, notable.size()))) +
         "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

/// One line on everything that is not worth more.
std::string rest_line(const ComparisonReport& report) {
  std::size_t small = 0;
  std::size_t noise = 0;
  for (const ItemChange& change : report.comparisons.back().changes) {
    if (change.is_notable) continue;
    (change.is_noise && std::fabs(change.share) >= kLeastChange ? noise : small) += 1;
  }
  std::string text;
  if (small > 0)
    text = fmt::format("{} further row{} changed by less than 0.1 % of the run", small, small == 1 ? "" : "s");
  if (noise > 0)
    text += fmt::format("{}{} {} within the noise of repeats or samples", text.empty() ? "" : ", ", noise,
                        noise == 1 ? "is" : "are");
  return text.empty() ? "" : comparison_lines(text + ".");
}

std::string conditions_section(const ComparisonReport& report, const Paint& paint) {
  if (report.conditions.empty()) return {};
  std::string text = paint.heading("CONDITIONS (--fail-if)") + "\n";
  for (const CheckedCondition& condition : report.conditions)
    text += comparison_lines(fmt::format("{}: {}", condition.text,
                                         condition.verdict.is_true ? "TRUE, " + condition.verdict.sentence : "false"));
  return text;
}

}  // namespace

std::string describe_time(const RunGroup& before, const RunGroup& after, const Comparison& comparison) {
  const FigureChange& time = comparison.figures.front();
  std::string text =
      fmt::format("The run takes {}, before {}.", human_duration(time.after), human_duration(time.before));
  if (time.change == 0)
    text = fmt::format("The run takes the same time: {}.", human_duration(time.after));
  else if (std::isfinite(time.ratio))
    text = fmt::format("The run takes {} {} time: {}, before {}.", human_percent(std::fabs(time.ratio - 1)),
                       time.change > 0 ? "more" : "less", human_duration(time.after), human_duration(time.before));
  if (!std::isfinite(time.test.p_value))
    return text + (before.runs.size() + after.runs.size() > 2
                       ? " One group has no repeats: whether a change is more than noise is unknown."
                       : " Without repeats, whether a change is more than noise is unknown.");
  const std::string interval =
      fmt::format("95 % interval of the change {} to {}, {}", signed_text(time.test.low, human_duration(time.test.low)),
                  signed_text(time.test.high, human_duration(time.test.high)),
                  time.test.p_value < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", time.test.p_value));
  return text + (time.test.p_value < kSignificant
                     ? fmt::format(" This is more than noise: {}.", interval)
                     : fmt::format(" This is within the noise of the repeats: {}.", interval));
}

std::string comparison_text(const ComparisonReport& report, const Paint& paint, std::size_t rows) {
  std::vector<std::string> sections{head_section(report, paint), figures_section(report, paint),
                                    scaling_section(report, paint)};
  for (const ChangeSection& section : kChangeSections) sections.push_back(change_section(report, section, paint, rows));
  sections.push_back(rest_line(report));
  sections.push_back(conditions_section(report, paint));
  sections.push_back(comparison_lines(closing_sentence(report)));
  std::string result;
  for (const std::string& section : sections) {
    if (section.empty()) continue;
    if (!result.empty()) result += "\n";
    result += section;
  }
  return result;
}

}  // namespace meridian
