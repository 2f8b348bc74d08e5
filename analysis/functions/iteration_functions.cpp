// SPDX-License-Identifier: Apache-2.0
// The functions of the program in which slow iterations, and those behind a step or along a trend, have their additional time.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "merged/merged_trace.hpp"
#include "merged/sample_functions.hpp"
#include "merged/sample_reader.hpp"
#include "trace/model/source_place.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr double kErrorsOfExcess = 2;  ///< of samples, that an excess has at least
constexpr double kMostOfAll = 0.5;     ///< share of the additional samples that are in one function, to name it
constexpr std::int32_t kRanks = -1;    ///< IterationFindingSummary::rank: most ranks

using GroupCounts = std::vector<std::uint32_t>;                  // by group of iterations
using SampledLines = std::map<std::uint32_t, GroupCounts>;       // of a function, by line
using SampledFunctions = std::map<std::uint32_t, SampledLines>;  // by number in SampleFunctions

/// The iterations of a phase in their groups: rows of `iterations`.
struct IterationGroups {
  std::vector<std::int64_t> begins_ns{};
  std::vector<double> lengths{};  // iterations of each
  std::int64_t end_ns = 0;

  std::size_t at(std::int64_t time_ns) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins_ns, time_ns) - begins_ns.begin()) - 1;
  }
};

/// Which groups have the additional time; the others show what is usual.
struct Sides {
  std::vector<bool> is_longer;
  double longer = 0, usual = 0;  // iterations

  Sides(const IterationGroups& groups, const std::vector<const IterationFindingSummary*>& findings,
        const std::vector<std::size_t>& at)
      : is_longer(groups.lengths.size()) {
    const std::size_t count = groups.lengths.size();
    const std::string& kind = findings.front()->kind;
    const bool is_slow = kind == "slow iteration";
    const std::size_t from = kind == "step" ? at.front() : count / 2;
    for (std::size_t i = 0; i < count; ++i) {
      is_longer[i] = is_slow ? std::ranges::find(at, i) != at.end() : i >= from;
      (is_longer[i] ? longer : usual) += groups.lengths[i];
    }
  }
};

struct ExcessPlace {
  std::uint32_t function = 0, line = 0;
};

/// The function with most of the additional samples of the longer iterations.
std::optional<ExcessPlace> find_excess(const SampledFunctions& functions, const Sides& sides) {
  if (sides.longer <= 0 || sides.usual <= 0) return {};
  const double factor = sides.longer / sides.usual;
  double all = 0, largest = 0, error = 0;
  std::optional<ExcessPlace> found;
  for (const auto& [function, lines] : functions) {
    double longer = 0, usual = 0, most = 0;
    std::uint32_t line = 0;
    for (const auto& [number, counts] : lines) {
      double of_line = 0;
      for (std::size_t i = 0; i < counts.size(); ++i) (sides.is_longer[i] ? of_line : usual) += counts[i];
      longer += of_line;
      if (of_line > most) most = of_line, line = number;
    }
    const double excess = longer - usual * factor;
    all += excess;
    if (excess <= largest) continue;
    largest = excess;
    error = std::sqrt(longer + usual * factor * factor);
    found = ExcessPlace{function, line};
  }
  return found && largest >= kErrorsOfExcess * error && largest >= kMostOfAll * all ? found : std::nullopt;
}

class IterationFunctions {
 public:
  IterationFunctions(const SampleReader& reader, std::int64_t start_ns)
      : reader_{reader}, start_ns_{start_ns}, functions_{reader.names()} {}

  Status name(std::uint64_t phase, Summary& summary) {
    std::map<std::pair<std::int32_t, std::string>, std::vector<IterationFindingSummary*>> sets;  // by rank and kind
    for (IterationFindingSummary& row : summary.iteration_findings)
      if (row.phase == phase && row.kind != "slow in MPI") sets[{row.rank, row.kind}].push_back(&row);
    if (sets.empty()) return {};
    const IterationGroups groups = groups_of(phase, summary);
    if (groups.begins_ns.empty()) return {};
    std::set<std::int32_t> wanted;
    for (const auto& [key, rows] : sets) wanted.insert(key.first);
    std::map<std::int32_t, SampledFunctions> counts;
    SampleSelection selection{.from_ns = groups.begins_ns.front(), .to_ns = groups.end_ns};
    if (!wanted.contains(kRanks)) selection.ranks = std::vector<std::int32_t>(wanted.begin(), wanted.end());
    SampleCursor cursor{reader_, selection};
    for (std::vector<MergedSample> rows;;) {
      MERIDIAN_TRY(const bool has_rows, cursor.next(rows));
      if (!has_rows) break;
      if (wanted.contains(kRanks)) count(rows, groups, counts[kRanks]);
      if (wanted.contains(cursor.rank())) count(rows, groups, counts[cursor.rank()]);
    }
    for (const auto& [key, rows] : sets) {
      std::vector<std::size_t> at;
      for (const IterationFindingSummary* const row : rows) at.push_back(group_of(*row, summary));
      const auto place = find_excess(counts[key.first], Sides{groups, {rows.begin(), rows.end()}, at});
      if (place) say(*place, rows);
    }
    return {};
  }

 private:
  IterationGroups groups_of(std::uint64_t phase, const Summary& summary) const {
    const auto at = [&](double s) { return start_ns_ + static_cast<std::int64_t>(s * kNsPerSecond); };
    IterationGroups groups;
    for (const IterationSummary& row : summary.iterations) {
      if (row.phase != phase) continue;
      groups.begins_ns.push_back(at(row.begin_s));
      groups.lengths.push_back(static_cast<double>(row.count));
    }
    groups.end_ns = at(summary.phases[phase].end_s);
    return groups;
  }

  static std::size_t group_of(const IterationFindingSummary& finding, const Summary& summary) {
    std::size_t group = 0;
    for (const IterationSummary& row : summary.iterations)
      if (row.phase == finding.phase && row.iteration < finding.iteration) ++group;
    return group;
  }

  void count(const std::vector<MergedSample>& rows, const IterationGroups& groups, SampledFunctions& functions) const {
    for (const MergedSample& sample : rows) {
      const SampleFunctions::Line& line = functions_.line_of(static_cast<std::uint32_t>(sample.path));
      if (line.function == SampleFunctions::kNone) continue;
      GroupCounts& counts = functions[line.function][line.line];
      counts.resize(groups.begins_ns.size());
      ++counts[groups.at(sample.time_ns)];
    }
  }

  void say(const ExcessPlace& place, const std::vector<IterationFindingSummary*>& rows) const {
    const SampleFunctions::Function& function = functions_.functions()[place.function];
    for (IterationFindingSummary* const row : rows) {
      row->function = shorten_templates(function.name, kMostFunctionName);
      row->place = place_of(function, place.line);
      row->text += fmt::format(" Most of the additional time is in {}.", function_place(function, place.line));
    }
  }

  const SampleReader& reader_;
  std::int64_t start_ns_;
  SampleFunctions functions_;
};

}  // namespace

Status name_iteration_functions(const MergedTrace& trace, Summary& summary) {
  if (summary.iteration_findings.empty()) return {};
  MERIDIAN_TRY(const SampleReader reader, trace.samples());
  if (reader.size() == 0) return {};
  MERIDIAN_TRY(const MergedEvent first, trace.event(0));
  IterationFunctions functions{reader, first.enter_ns};
  for (std::uint64_t phase = 0; phase < summary.phases.size(); ++phase) MERIDIAN_TRY_DO(functions.name(phase, summary));
  return {};
}

}  // namespace meridian
