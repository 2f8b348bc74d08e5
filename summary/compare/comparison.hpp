// SPDX-License-Identifier: Apache-2.0
#pragma once

// What changed between runs. Groups are repeats of the same run; a group is compared with the first one.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "summary/compare/run_profile.hpp"
#include "summary/compare/student.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

struct RunGroup {
  std::string label;
  std::vector<RunProfile> runs;  ///< at least one
};

/// A figure of two groups: means over their repeats. NaN: undefined.
struct FigureChange {
  std::string name;
  std::string unit;
  double before = 0;
  double after = 0;
  double change = 0;
  double ratio = 0;  ///< after / before
  double before_sd = 0;
  double after_sd = 0;
  MeanDifference test;

  template <class Row = FigureChange>
  static constexpr auto kColumns = Columns{
      column<&Row::name>("name", "", "as in `meridian compare --list-figures`"),
      column<&Row::unit>("unit", "", "of the values; empty: a count or a share"),
      column<&Row::before>("before", "", "mean over the repeats; undefined if a run does not have it"),
      column<&Row::after>("after", "", "the same"),
      column<&Row::change>("change", "", "after - before"),
      column<&Row::ratio>("ratio", "", "after / before"),
      column<&Row::before_sd>("before_sd", "", "standard deviation of the repeats"),
      column<&Row::after_sd>("after_sd", "", "the same"),
      column<&Row::test, &MeanDifference::low>("low", "", "95 % interval of the change; undefined without repeats"),
      column<&Row::test, &MeanDifference::high>("high", "", "its upper end"),
      column<&Row::test, &MeanDifference::p_value>("p_value", "", "chance of such a change if there is none"),
  };
};

/// A function, call site, region, state, wait or problem of two groups: means over their repeats.
struct ItemChange {
  Subject subject{};
  std::string name, function, caller, place;  ///< as in ProfileItem
  std::string status;                         ///< "changed", "appeared", "gone"
  double before_s = 0;                        ///< seconds a rank
  double after_s = 0;
  double change_s = 0;
  double share = 0;  ///< change_s / time of the run before
  double before_sd_s = 0, after_sd_s = 0;
  MeanDifference test;
  bool is_noise = false;    ///< as far as repeats or samples say
  bool is_notable = false;  ///< at least kLeastChange of the run, and no noise
  Measures before, after;

  template <class Row = ItemChange>
  static constexpr auto kColumns = Columns{
      column<Row>("subject", "", "state, function, site, region, wait, problem, program_function",
                  [](const Row& row) { return std::string{subject_name(row.subject)}; }),
      column<&Row::name>("name", "", "of it; of a site the called function"),
      column<&Row::function>("function", "", "of waits and problems: where they are"),
      column<&Row::caller>("caller", "", "of sites: the function that contains the call"),
      column<&Row::place>("place", "", "source file and line, or module and offset; empty: none"),
      column<&Row::status>("status", "", "changed, appeared, gone"),
      column<&Row::before_s>("before_s", "s", "a rank, mean over the repeats"),
      column<&Row::after_s>("after_s", "s", "the same"),
      column<&Row::change_s>("change_s", "s", "after_s - before_s"),
      column<&Row::share>("share", "", "change_s / time of the run before"),
      column<&Row::before_sd_s>("before_sd_s", "s", "standard deviation of the repeats"),
      column<&Row::after_sd_s>("after_sd_s", "s", "the same"),
      column<&Row::test, &MeanDifference::low>("low_s", "s", "95 % interval of change_s; undefined without repeats"),
      column<&Row::test, &MeanDifference::high>("high_s", "s", "its upper end"),
      column<&Row::test, &MeanDifference::p_value>("p_value", "", "chance of such a change if there is none"),
      column<&Row::is_notable>(
          "notable", "",
          "at least 0.1 % of the run, p_value below 0.05 if it is known, and two standard errors of samples"),
      column<&Row::before, &Measures::total_s>("before_total_s", "s", "over all ranks"),
      column<&Row::after, &Measures::total_s>("after_total_s", "s", "over all ranks"),
      column<&Row::before, &Measures::count>("before_count", "", "calls, executions, waits; over all ranks"),
      column<&Row::after, &Measures::count>("after_count", "", "the same"),
      column<&Row::before, &Measures::bytes>("before_bytes", "bytes", "sent and received, over all ranks"),
      column<&Row::after, &Measures::bytes>("after_bytes", "bytes", "the same"),
      column<&Row::before, &Measures::wait_s>(
          "before_wait_s", "s", "waits for other ranks or threads; of regions time in MPI; over all ranks"),
      column<&Row::after, &Measures::wait_s>("after_wait_s", "s", "the same"),
  };
};

inline constexpr double kLeastChange = 0.001;  ///< of the time of the run: less is not worth a user's time
inline constexpr double kSignificant = 0.05;   ///< p values below this are no noise
inline constexpr double kSampledChange = 2;    ///< standard errors of samples; from here on no noise

struct Comparison {
  std::vector<FigureChange> figures;  ///< in the order of figures()
  std::vector<ItemChange> changes;    ///< by subject, then by the size of the change, largest first
};

/// Items are the same if all their names and source lines are; those that are left over in both, with the same function,
/// caller and file, are matched in the order of their lines if there are equally many.
Comparison compare_groups(const RunGroup& before, const RunGroup& after);

}  // namespace meridian
