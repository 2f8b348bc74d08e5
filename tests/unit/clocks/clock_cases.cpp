// SPDX-License-Identifier: Apache-2.0
// The published cases of docs/CLOCK_CASES.md on simulated clocks:
// clock_cases [REPETITIONS [period|duration|load|hops|cone|field|all]]
// Prints tables. Fails if a bound is false, or if corrections over hours are no better than lines.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "field_comparison.hpp"
#include "published_cases.hpp"

namespace {

using namespace meridian::test;

constexpr int kConeRepetitions = 20;  // for each of the others: medians, and short runs

bool is_good = true;
Checked checked;  // all bounds

void expect(bool is_true, std::string_view what) {
  if (is_true) return;
  std::fprintf(stderr, "clock_cases: %.*s\n", static_cast<int>(what.size()), what.data());
  is_good = false;
}

/// Three digits.
std::string number(double value) {
  if (value == kNone) return "-";
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  return text;
}
std::string us(double ns) { return ns < 0 ? "-" : number(ns / 1e3); }
std::string tiny(double value) {
  if (std::abs(value) < 1e-15) return "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

class Table {
 public:
  explicit Table(const std::vector<std::string>& columns) : columns_{columns.size()} {
    row(columns);
    row(std::vector<std::string>(columns.size(), "---"));
  }
  void row(const std::vector<std::string>& cells) const {
    expect(cells.size() == columns_, "a table has rows of different lengths");
    for (const std::string& cell : cells) std::printf("| %s ", cell.c_str());
    std::puts("|");
    std::fflush(stdout);
  }

 private:
  std::size_t columns_;
};

void check(const Checked& some, std::string_view what) {
  checked += some;
  expect(some.outside == 0, std::string{what} + ": a bound misses the truth");
}

void print_periods(int repetitions) {
  std::puts("### Period of the exchanges\n");
  const Table table{{"period", "mean E_ij, published", "here", "E_r, published", "here", "E_X, published", "here",
                     "E_D0, published (s)", "here"}};
  std::vector<CaseFigures> all;
  for (const PublishedPeriod& row : kPeriods) {
    const CaseFigures& f = all.emplace_back(
        two_hosts({.period_s = row.period_s, .drift = kPeriodDrift, .link = {row.delay, row.delay}}, repetitions));
    table.row({row.name, number(row.mean_half_us), us(f.line.mean_half_ns), number(row.er_us), us(f.line.er_ns),
               tiny(row.ex), tiny(f.line.ex), tiny(row.ed0_s), tiny(f.line.ed0_ns * 1e-9)});
    if (row.period_s == 1)
      table.row({"1 s, all kept", "-", us(f.unfiltered.mean_half_ns), number(kUnfilteredErUs), us(f.unfiltered.er_ns),
                 "-", "-", "-", "-"});
  }
  std::puts("");
  const Table errors{{"period", "off: his line", "linear", "regression", "meridian", "T1", "T2"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CaseFigures& f = all[i];
    errors.row({kPeriods[i].name, us(f.line_ns), us(f.linear_ns), us(f.regression_ns), us(f.fit_ns), us(f.t1_ns),
                us(f.t2_ns)});
    check(f.checked, "periods");
  }
}

void print_durations(int repetitions) {
  std::puts("\n### Duration\n");
  const Table table{{"duration", "E_r, published", "here", "off: his line", "linear", "regression", "meridian", "T1",
                     "T2", "as Meridian records: meridian", "T1", "T2"}};
  for (const PublishedDuration& row : kDurations) {
    TwoHosts set_up{.seconds = row.seconds, .period_s = row.period_s, .drift = row.drift, .seed = 100};
    const CaseFigures f = two_hosts(set_up, repetitions);
    set_up.as_recorded = true;
    const CaseFigures own = two_hosts(set_up, repetitions);
    table.row({row.name, number(row.er_us), us(f.line.er_ns), us(f.line_ns), us(f.linear_ns), us(f.regression_ns),
               us(f.fit_ns), us(f.t1_ns), us(f.t2_ns), us(own.fit_ns), us(own.t1_ns), us(own.t2_ns)});
    check(f.checked, "durations");
    check(own.checked, "durations, as recorded");
    if (row.seconds >= 5 * 3600.0)
      expect(std::max(f.fit_ns, own.fit_ns) < f.regression_ns / 3, "over hours a line is as good as `meridian`");
  }
}

void print_loads(int repetitions) {
  std::puts("\n### Load\n");
  const auto table_of = [&](bool is_both) {
    const Table table{{is_both ? "both hosts" : "one host", "E_r, published", "here", "mean E_ij", "off: his line",
                       "linear", "regression", "meridian", "T1", "T2"}};
    for (const PublishedLoad& row : kLoads) {
      const CaseFigures f = two_hosts({.seconds = kLoadSeconds,
                                       .drift = 1.13e-4,
                                       .link = loaded(is_both ? row.both_wait_us : row.one_wait_us, is_both),
                                       .seed = 200},
                                      repetitions);
      table.row({row.name, number(is_both ? row.both_us : row.one_us), us(f.line.er_ns), us(f.line.mean_half_ns),
                 us(f.line_ns), us(f.linear_ns), us(f.regression_ns), us(f.fit_ns), us(f.t1_ns), us(f.t2_ns)});
      check(f.checked, "loads");
    }
    std::puts("");
  };
  table_of(true);
  table_of(false);
  const Table table{{"one host, all kept", "E_r, published", "here", "longest E_ij, published", "here"}};
  for (const PublishedLoad& row : kLoads) {
    const CaseFigures f = two_hosts(
        {.seconds = kLoadSeconds, .drift = 1.13e-4, .link = loaded(row.one_wait_us, false), .seed = 200}, repetitions);
    table.row({row.name, number(row.unfiltered_us), us(f.unfiltered.er_ns), "up to " + number(kLongestHalfUs),
               us(f.longest_half_ns)});
    expect(f.unfiltered.er_ns <= f.longest_half_ns, "a residual is larger than every half round trip");
  }
}

void print_hops(int repetitions) {
  std::puts("\n### Hops\n");
  const auto even = hops(false, repetitions), odd = hops(true, repetitions);
  const Table table{{"hops", "direct E_r, published", "here", "summed E_r, published", "here", "D0, published", "here",
                     "here, links that differ"}};
  for (std::size_t h = 0; h < kHops.size(); ++h) {
    const PublishedHop& row = kHops[h];
    table.row({std::to_string(h + 1), number(row.direct_us), us(even[h].direct_er_ns), number(row.summed_us),
               us(even[h].summed_er_ns), number(row.d0_us), us(even[h].d0_ns), us(odd[h].d0_ns)});
  }
  std::puts("");
  const Table errors{{"hops", "off: regression", "meridian", "T1", "links that differ: regression", "meridian", "T1"}};
  for (std::size_t h = 0; h < kHops.size(); ++h) {
    errors.row({std::to_string(h + 1), us(even[h].regression_ns), us(even[h].fit_ns), us(even[h].t1_ns),
                us(odd[h].regression_ns), us(odd[h].fit_ns), us(odd[h].t1_ns)});
    check(even[h].checked, "hops");
    check(odd[h].checked, "hops over links that differ");
  }
  std::puts("");
  const Table drifts{{"hops", "drift, composed", "added", "difference", "in half an hour, us"}};
  for (std::size_t h = 0; h < kHops.size(); ++h) {
    const PathDrift drift = path_drift(h);
    const double difference = drift.composed - drift.added;
    drifts.row({std::to_string(h + 1), tiny(drift.composed), tiny(drift.added), tiny(difference),
                number(std::abs(difference) * kHopSeconds * 1e6)});
  }
}

void print_cone(int repetitions) {
  std::puts("\n## Ottogalli\n\n### The cone\n");
  const Table table{{"after", "interval, published", "here", "off: that line", "meridian, that batch alone", "T1",
                     "start and end", "T1", "and every 10 s", "T1", "T2"}};
  const auto figures = cone(repetitions);
  for (std::size_t k = 0; k < kConeAfter.size(); ++k) {
    const ConeFigures& f = figures[k];
    table.row({std::to_string(static_cast<int>(kConeAfter[k])) + " s", number(cone_us(kConeAfter[k])),
               us(f.interval_ns), us(f.early_ns), us(f.alone_ns), us(f.alone_t1_ns), us(f.ends_ns), us(f.ends_t1_ns),
               us(f.epochs_ns), us(f.epochs_t1_ns), us(f.epochs_t2_ns)});
    check(f.checked, "cone");
  }
  expect(figures.back().epochs_ns < figures.back().early_ns, "a line from one early batch is as good after a minute");

  std::puts("\n### Batches\n");
  const Table batch_table{{"round trips", "off, earlier simulation", "here", "linear", "regression", "meridian", "T1"}};
  for (const PublishedBatches& row : kBatches) {
    const BatchFigures f = batches(row, repetitions);
    batch_table.row(
        {row.name, number(row.off_us), us(f.line_ns), us(f.linear_ns), us(f.regression_ns), us(f.fit_ns), us(f.t1_ns)});
    check(f.checked, "batches");
  }
}

void print_field(int repetitions) {
  std::puts("\n## The field\n");
  const Table table{
      {"clocks", "method", "off: mean", "99 %", "worst", "received before sent", "intervals off: 99 %", "worst"}};
  std::string without;
  char text[64];
  for (const char* const clocks : kFieldClocks) {
    const FieldComparison all = compare_field(clocks, repetitions);
    for (const FieldFigures& f : all.methods) {
      const double percent = 100 * static_cast<double>(f.reversed) / static_cast<double>(f.messages);
      table.row({clocks, f.method, us(f.mean_ns), us(f.p99_ns), us(f.worst_ns),
                 f.reversed == 0 ? "0" : number(percent) + " %", us(f.interval_p99_ns), us(f.interval_worst_ns)});
    }
    std::snprintf(text, sizeof text, "%zu of %zu", all.pairs_without_line, all.pairs);
    without += (without.empty() ? "" : ", ") + std::string{text};
    check(all.checked, clocks);
  }
  std::printf("\nPairs that messages leave without a line of Duda's, by clocks: %s.\n", without.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::max(1, std::atoi(arguments[1])) : 10;
  const std::string_view only = count > 2 ? arguments[2] : "all";
  const auto wants = [&](std::string_view axis) { return only == "all" || only == axis; };
  std::puts("## Clement\n");
  if (wants("period")) print_periods(repetitions);
  if (wants("duration")) print_durations(repetitions);
  if (wants("load")) print_loads(repetitions);
  if (wants("hops")) print_hops(repetitions);
  if (wants("cone")) print_cone(kConeRepetitions * repetitions);
  if (wants("field")) print_field(repetitions);
  std::printf("\n%zu bounds were compared with the truth, %zu are false.\n", checked.points, checked.outside);
  return is_good ? 0 : 1;
}
