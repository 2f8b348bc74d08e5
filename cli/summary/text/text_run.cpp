// SPDX-License-Identifier: Apache-2.0
// Sections RUN and RANKS.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/measures.hpp"
#include "summary/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kLabelWidth = 10;

std::string run_field(const char* label, const std::string& value) {
  return fmt::format("  {:<{}}{}\n", label, kLabelWidth, shortened(value, text_width() - kLabelWidth - kIndent));
}

std::string plural(std::uint64_t count, const char* noun) {
  return human_count(count) + " " + noun + (count == 1 ? "" : "s");
}

/// "Open MPI v4.1.4" of "Open MPI v4.1.4, package: ...", "MPICH Version: 4.0.2" of several lines with tabs.
std::string short_version(const std::string& library) {
  std::string version;
  for (const char c : library.substr(0, library.find_first_of(",\n"))) {
    if (c != '\t' && c != ' ')
      version += c;
    else if (!version.empty() && version.back() != ' ')
      version += ' ';
  }
  return version;
}

std::string ranks_value(const RunSummary& run) {
  const auto present = static_cast<std::uint64_t>(std::max(run.ranks_present, 0));
  const auto expected = static_cast<std::uint64_t>(std::max(run.ranks_expected, 0));
  std::string value = plural(present, "rank");
  if (present != expected) value = fmt::format("{} of {}", human_count(present), plural(expected, "rank"));
  value += " on " + plural(run.hosts, "host") + ", ";
  if (run.all_threads <= run.threads) return value + plural(run.threads, "thread") + " in MPI";
  return value + fmt::format("{}, {} of them in MPI", plural(run.all_threads, "thread"), human_count(run.threads));
}

std::string calls_value(const RunSummary& run) {
  std::string value = plural(run.calls, "MPI call");
  if (run.time_s > 0 && run.calls > 0)
    value += fmt::format(
        ", {} a second",
        human_count(static_cast<std::uint64_t>(std::min(static_cast<double>(run.calls) / run.time_s, 1e18))));
  return value;
}

std::string others_value(const RunSummary& run) {
  std::string value;
  if (run.thread_calls > 0) value = plural(run.thread_calls, "thread call");
  if (run.user_events > 0) value += (value.empty() ? "" : ", ") + plural(run.user_events, "user event");
  return value;
}

std::vector<std::string> rank_cells(const std::string& label, const RankLoad& load) {
  const RankSummary& rank = *load.rank;
  return {label,
          fmt::format("{}", rank.rank),
          printable(rank.host),
          human_count(std::max(rank.all_threads, rank.threads)),
          human_count(rank.calls),
          human_duration(rank.time_s - rank.ends_s),
          human_duration(rank.mpi_s - rank.ends_s),
          human_percent(load.mpi_share),
          human_bytes(static_cast<double>(rank.bytes_sent) + static_cast<double>(rank.other_bytes_sent)),
          human_bytes(static_cast<double>(rank.bytes_received) + static_cast<double>(rank.other_bytes_received))};
}

/// The first column, with the rank's number in its world, exists only if there are several worlds.
Table ranks_in_full(const Summary& summary, const Load& load) {
  const bool has_worlds = !summary.worlds.empty();
  std::vector<Table::Column> columns{
      {"of world"}, {"rank"}, {"host", Align::left}, {"thr"}, {"calls"}, {"time"}, {"in MPI"},
      {"share"},    {"sent"}, {"received"}};
  if (!has_worlds) columns.erase(columns.begin());
  Table table{std::move(columns)};
  for (const RankLoad& rank : load.ranks) {
    std::vector<std::string> cells =
        rank_cells(has_worlds ? place_in_world(summary, rank.rank->rank) : std::string{}, rank);
    if (!has_worlds) cells.erase(cells.begin());
    table.add(std::move(cells));
  }
  return table;
}

/// Three ranks that represent all: least, median and most time in MPI.
Table ranks_compact(const Load& load) {
  std::vector<const RankLoad*> order;
  for (const RankLoad& rank : load.ranks) order.push_back(&rank);
  std::sort(order.begin(), order.end(), [](const RankLoad* a, const RankLoad* b) {
    return a->mpi_share != b->mpi_share ? a->mpi_share < b->mpi_share : a->rank->rank < b->rank->rank;
  });
  Table table{{{"which"},
               {"rank"},
               {"host", Align::left},
               {"thr"},
               {"calls"},
               {"time"},
               {"in MPI"},
               {"share"},
               {"sent"},
               {"received"}}};
  table.add(rank_cells("least", *order.front()));
  table.add(rank_cells("median", *order[(order.size() - 1) / 2]));
  table.add(rank_cells("most", *order.back()));
  return table;
}

}  // namespace

std::string run_section(const Summary& summary, const Paint& paint) {
  const RunSummary& run = summary.run;
  const Load load = measure_load(summary);
  std::string result = paint.heading("RUN") + "\n";
  result += run_field("program", run.executable.empty()
                                     ? "unknown"
                                     : shortened_path(printable(run.executable), text_width() - kLabelWidth - kIndent));
  result += run_field("MPI", run.mpi_library.empty() ? "unknown" : printable(short_version(run.mpi_library)));
  result += run_field("ranks", ranks_value(run));
  result += run_field("begun", human_time(run.begin_realtime_ns));
  result += run_field("time", human_duration(run.time_s) + " from the first event to the last");
  const double ends_s = ends_seconds(summary);
  if (ends_s > 0)
    result += run_field("start/end",
                        fmt::format("{} in MPI_Init and MPI_Finalize, {} a rank; in no share", human_duration(ends_s),
                                    human_duration(ends_s / static_cast<double>(summary.ranks.size()))));
  result += run_field("in MPI", fmt::format("{} of the ranks' {}time, {} in total", human_percent(load.mpi_share),
                                            ends_s > 0 ? "other " : "", human_duration(mpi_seconds(summary) - ends_s)));
  result += run_field("calls", calls_value(run));
  if (const std::string others = others_value(run); !others.empty()) result += run_field("others", others);
  std::string trace = human_bytes(run.trace_bytes);
  const double events =
      static_cast<double>(run.calls) + static_cast<double>(run.thread_calls) + static_cast<double>(run.user_events);
  if (events > 0) trace += fmt::format(", {} an event", human_bytes(static_cast<double>(run.trace_bytes) / events));
  return result + run_field("trace", trace);
}

std::string ranks_section(const Summary& summary, const Paint& paint, std::size_t most) {
  if (summary.ranks.empty()) return {};
  const Load load = measure_load(summary);
  const Table table = load.ranks.size() <= most ? ranks_in_full(summary, load) : ranks_compact(load);
  std::string result =
      paint.heading(ends_seconds(summary) > 0 ? "TIME IN MPI (without MPI_Init and MPI_Finalize)" : "TIME IN MPI") +
      "\n";
  result += table.text([&](const std::string& line) { return paint.title(line); });
  if (load.ranks.size() < 2) return result;
  const RankLoad& slowest = load.ranks[load.slowest];
  return result + wrapped(fmt::format("Outside MPI{}: mean {}, most {} on rank {}; load balance {} (100 % is even).",
                                      load.knows_ready ? " with a processor" : "", human_duration(load.mean_outside_s),
                                      human_duration(load.max_outside_s), slowest.rank->rank,
                                      human_percent(load_balance(summary, load))),
                          2, prose_width());
}

}  // namespace meridian
