// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/run_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "summary/compare/figures.hpp"
#include "summary/problems/problem_waits.hpp"
#include "summary/recorded_part.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/nearest_name.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

constexpr std::array<std::string_view, 7> kSubjectNames{"state",   "function",        "site", "region", "wait",
                                                        "problem", "program_function"};

/// Adds up rows of one item.
class Items {
 public:
  Measures& at(Subject subject, const std::string& name, const std::string& function = {},
               const std::string& caller = {}, const std::string& place = {}) {
    const auto [found, is_new] = index_.try_emplace(std::tuple{subject, name, function, caller, place}, all_.size());
    if (is_new) all_.push_back({subject, name, function, caller, place, {}});
    return all_[found->second].measures;
  }
  std::vector<ProfileItem> take() { return std::move(all_); }

 private:
  std::map<std::tuple<Subject, std::string, std::string, std::string, std::string>, std::size_t> index_;
  std::vector<ProfileItem> all_;
};

void add(Measures& sum, double total_s, std::uint64_t count, std::uint64_t bytes = 0, double wait_s = 0) {
  sum.total_s += total_s;
  sum.count += static_cast<double>(count);
  sum.bytes += static_cast<double>(bytes);
  sum.wait_s += wait_s;
}

double counted(double value) { return value > 0 ? value : std::numeric_limits<double>::quiet_NaN(); }

PopFigures pop_of(const Summary& summary) {
  const EfficiencySummary* const row = run_efficiency(summary);
  const EfficiencySummary none;
  const EfficiencySummary& known = row == nullptr ? none : *row;
  return {.threads = counted(static_cast<double>(known.threads)),
          .time_s = counted(known.time_s),
          .parallel = counted(known.parallel),
          .compute_s = counted(known.compute_s),
          .instructions = counted(static_cast<double>(known.instructions)),
          .ipc = counted(known.ipc),
          .frequency_hz = counted(known.frequency_hz)};
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Error unknown_name(const std::string& what, std::string_view name, std::span<const std::string_view> known,
                   const std::string& list) {
  const std::string_view near = nearest_name(name, known);
  const std::string hint = near.empty() ? "" : "did you mean '" + std::string{near} + "'? Else ";
  return {Errc::invalid_argument, what + " '" + std::string{name} + "'", hint + list};
}

Error unknown_figure(std::string_view name, std::span<const std::string_view> known) {
  return unknown_name("there is no figure", name, known, "`meridian compare --list-figures` lists them");
}

/// For an object that the run does not have: whether it can have it at all.
Status check_object(const RunProfile& run, Subject subject, std::string_view object,
                    std::span<const std::string_view> problems) {
  std::vector<std::string_view> known;
  if (subject == Subject::problem) {
    known.assign(problems.begin(), problems.end());
    if (std::ranges::find(known, object) != known.end()) return {};
    return unknown_name("there is no problem", object, known, "docs/PROBLEMS.md lists them");
  }
  if (subject == Subject::function) {
    if (call_by_name(object) != CallId::none) return {};
    for (std::size_t i = 1; i < kCallCount; ++i) known.push_back(kCalls[i].name);
    return unknown_name("there is no function", object, known, "`meridian stats` shows those that were called");
  }
  for (const ProfileItem& item : run.items)
    if (item.subject == subject) known.push_back(item.name);
  if (subject == Subject::program_function)
    return unknown_name("'" + run.source + "' has no samples in a function", object, known,
                        "`meridian stats --section program` shows those of the program");
  return unknown_name("'" + run.source + "' has no region", object, known, "`meridian stats` shows its regions");
}

Result<double> family_figure(const RunProfile& run, const FigureFamily& family, std::string_view object,
                             std::span<const std::string_view> problems) {
  const Subject subject = family.name == "region"             ? Subject::region
                          : family.name == "problem"          ? Subject::problem
                          : family.name == "program_function" ? Subject::program_function
                                                              : Subject::function;
  // Names of problems have blanks, for which a shell would need quotes.
  std::string name{object};
  if (subject == Subject::problem) std::ranges::replace(name, '_', ' ');
  Measures sum;
  bool is_known = false;
  for (const ProfileItem& item : run.items) {
    if (item.subject != subject || item.name != name) continue;
    is_known = true;
    sum.total_s += item.measures.total_s;
    sum.count += item.measures.count;
    sum.bytes += item.measures.bytes;
    sum.wait_s += item.measures.wait_s;
  }
  if (!is_known) MERIDIAN_TRY_DO(check_object(run, subject, name, problems));
  return family.name == "calls"   ? sum.count
         : family.name == "bytes" ? sum.bytes
         : family.name == "waits" ? sum.wait_s
                                  : sum.total_s;
}

}  // namespace

std::string_view subject_name(Subject subject) { return kSubjectNames[static_cast<std::size_t>(subject)]; }

RunProfile profile_of(const Summary& summary, std::string source) {
  RunProfile run{.source = std::move(source),
                 .executable = base_name(summary.run.executable),
                 .begin_realtime_ns = summary.run.begin_realtime_ns,
                 .ranks = static_cast<double>(std::max(summary.run.ranks_present, 1)),
                 .time_s = summary.run.time_s,
                 .is_profile = is_profile(summary),
                 .has_samples = !summary.program_functions.empty(),
                 .pop = pop_of(summary),
                 .figures = {},
                 .items = {}};
  for (const Figure& figure : figures()) run.figures.push_back(figure.value(summary));
  Items items;
  for (const StateSummary& row : summary.states) add(items.at(Subject::state, row.state), row.total_s, 0);
  for (const FunctionSummary& row : summary.functions)
    add(items.at(Subject::function, row.name), row.total_s, row.count, row.bytes_sent + row.bytes_received);
  std::map<std::pair<std::string, std::string>, double> waits_at;
  for (const WaitSummary& row : summary.waits) {
    add(items.at(Subject::wait, row.pattern, row.function, {}, row.place), row.total_s, row.count);
    items.at(Subject::function, row.function).wait_s += row.total_s;
    waits_at[{row.function, row.place}] += row.total_s;
  }
  for (const SiteSummary& row : summary.sites) {
    // Waits are known by place; the first site of the place gets them.
    double wait_s = 0;
    if (const auto wait = waits_at.find({row.function, place_text(row)}); wait != waits_at.end())
      wait_s = std::exchange(wait->second, 0);
    const std::string line = line_text({row.caller, row.file, row.line, row.module, row.offset});
    add(items.at(Subject::site, row.function, {}, row.caller, line), row.total_s, row.count,
        row.bytes_sent + row.bytes_received, wait_s);
  }
  for (const RegionSummary& row : summary.regions)
    add(items.at(Subject::region, row.name), row.total_s, row.count, 0, row.mpi_s);
  for (const ProblemSummary& row : summary.problems)
    add(items.at(Subject::problem, row.problem, row.function, {}, row.place), row.cost_s, 1);
  for (const ProgramFunctionSummary& row : summary.program_functions) {
    // The line is the one with most samples, which may be another one in the next run.
    Measures& sum =
        items.at(Subject::program_function, row.function, {}, {}, row.place.substr(0, row.place.rfind(':')));
    add(sum, row.self_s, row.samples);
    sum.error_s = std::hypot(sum.error_s, row.error_s);
  }
  run.items = items.take();
  return run;
}

Result<double> figure_of(const RunProfile& run, std::string_view name, std::span<const std::string_view> problems) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < figures().size(); ++i) {
    if (figures()[i].name == name) return run.figures[i];
    known.push_back(figures()[i].name);
  }
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return unknown_figure(name, known);
  known.clear();
  for (const FigureFamily& family : figure_families()) {
    if (family.name == name.substr(0, colon)) return family_figure(run, family, name.substr(colon + 1), problems);
    known.push_back(family.name);
  }
  return unknown_figure(name.substr(0, colon), known);
}

}  // namespace meridian
