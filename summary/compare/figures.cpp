// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/figures.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "summary/measures.hpp"
#include "summary/problems/problem_waits.hpp"
#include "summary/recorded_part.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

template <auto Member>
double of_run(const Summary& summary) {
  return static_cast<double>(summary.run.*Member);
}

template <auto Member>
double of_messages(const Summary& summary) {
  return static_cast<double>(summary.messages.*Member);
}

template <auto Member>
double of_efficiency(const Summary& summary) {
  const EfficiencySummary* const row = run_efficiency(summary);
  return row == nullptr ? kUndefined : static_cast<double>(row->*Member);
}

/// A figure from counters: 0 means that nothing was counted.
template <auto Member>
double of_counters(const Summary& summary) {
  const double value = of_efficiency<Member>(summary);
  return value > 0 ? value : kUndefined;
}

double state_seconds(const Summary& summary, std::string_view state) {
  if (summary.states.empty()) return kUndefined;
  double total_s = 0;
  for (const StateSummary& row : summary.states)
    if (row.state == state) total_s += row.total_s;
  return total_s;
}

double all_waits(const Summary& summary) {
  if (is_profile(summary)) return kUndefined;
  double total_s = 0;
  for (const WaitSummary& row : summary.waits)
    if (!starts_or_ends_mpi(facts_of(row.function).facts.role) && !is_of_threads(row)) total_s += row.total_s;
  return total_s;
}

template <Severity Which>
double findings_of(const Summary& summary) {
  return static_cast<double>(count_findings(summary, Which));
}

double largest_memory(const Summary& summary) {
  std::uint64_t most = 0;
  for (const UsageSummary& row : summary.usage) most = std::max(most, row.high_water_bytes);
  return most == 0 ? kUndefined : static_cast<double>(most);
}

template <double Energy::*Member>
double of_energy(const Summary& summary) {
  const Energy energy = measure_energy(summary);
  return energy.hosts == 0 ? kUndefined : energy.*Member;
}

double overhead_seconds(const Summary& summary) { return sum_of(summary.overhead, &OverheadSummary::total_s); }

double overhead_share(const Summary& summary) { return sum_of(summary.overhead, &OverheadSummary::share); }

using enum FigureUnit;

// clang-format off
constexpr auto kFigures = std::to_array<Figure>({
    {"time", seconds, "from the first event of any rank to the last", &of_run<&RunSummary::time_s>, true},
    {"inner_time", seconds, "the same between MPI_Init and MPI_Finalize", &of_efficiency<&EfficiencySummary::time_s>, true},
    {"parallel_efficiency", share, "the product of the other efficiencies", &of_efficiency<&EfficiencySummary::parallel>, true},
    {"load_balance", share, "mean computing time of a rank / longest one", &of_efficiency<&EfficiencySummary::load_balance>, true},
    {"communication_efficiency", share, "serialisation * transfer", &of_efficiency<&EfficiencySummary::communication>, true},
    {"serialisation", share, "longest computing time of a rank / time on an ideal network", &of_efficiency<&EfficiencySummary::serialisation>, true},
    {"transfer", share, "time on an ideal network / inner_time", &of_efficiency<&EfficiencySummary::transfer>, true},
    {"mpi_efficiency", share, "load_balance * communication_efficiency", &of_efficiency<&EfficiencySummary::mpi_factor>},
    {"thread_efficiency", share, "how well the threads of a rank share its computing; 1 without threads", &of_efficiency<&EfficiencySummary::thread_factor>, true},
    {"processor_efficiency", share, "ideal_time with a processor for each thread at any time / ideal_time; 1 where it is not known", &of_efficiency<&EfficiencySummary::processor>, true},
    {"mpi_share", share, "MPI in the time of the threads that call it, without MPI_Init and MPI_Finalize", &mpi_share, true},
    {"mpi_time", seconds, "in MPI, over all ranks and threads", &mpi_seconds},
    {"compute_time", seconds, "computing, over all threads", &of_efficiency<&EfficiencySummary::compute_s>},
    {"wait_time", seconds, "waits for other ranks, over all ranks, without MPI_Init and MPI_Finalize", &all_waits},
    {"transfer_time", seconds, "in MPI besides waits and MPI-IO, over all threads", [](const Summary& summary) { return state_seconds(summary, "mpi-transfer"); }},
    {"lock_time", seconds, "waits for locks and threads, over all threads", [](const Summary& summary) { return state_seconds(summary, "sync-wait"); }},
    {"sleep_time", seconds, "asleep, over all threads", [](const Summary& summary) { return state_seconds(summary, "sleep"); }},
    {"io_time", seconds, "in calls on files, of MPI and of the program, over all threads", [](const Summary& summary) { return state_seconds(summary, "io"); }},
    {"ready_time", seconds, "ready to run without a processor, and not waiting, over all threads", [](const Summary& summary) { return state_seconds(summary, "ready"); }},
    {"ideal_time", seconds, "inner_time on a network that costs nothing", &of_efficiency<&EfficiencySummary::ideal_s>},
    {"ranks", count, "ranks in the trace", &of_run<&RunSummary::ranks_present>},
    {"threads", count, "threads, whether or not they called MPI", &of_run<&RunSummary::all_threads>},
    {"hosts", count, "computers", &of_run<&RunSummary::hosts>},
    {"calls", count, "MPI calls", &of_run<&RunSummary::calls>},
    {"messages", count, "point-to-point messages", &of_messages<&MessageSummary::matched>},
    {"message_bytes", bytes, "in them", &of_messages<&MessageSummary::bytes>},
    {"unmatched_sends", count, "messages without their receive", &of_messages<&MessageSummary::unmatched_sends>},
    {"unmatched_receives", count, "messages without their send", &of_messages<&MessageSummary::unmatched_receives>},
    {"collectives", count, "collective operations, each counted once", &of_messages<&MessageSummary::collectives>},
    {"collective_bytes", bytes, "sent in them, over all calls", &of_messages<&MessageSummary::collective_bytes_sent>},
    {"instructions", count, "outside MPI; only with counters", &of_counters<&EfficiencySummary::instructions>},
    {"ipc", count, "instructions per cycle outside MPI; only with counters", &of_counters<&EfficiencySummary::ipc>},
    {"frequency", hertz, "cycles a second of computing; only with counters", &of_counters<&EfficiencySummary::frequency_hz>},
    {"memory", bytes, "most memory that was resident, of the largest rank", &largest_memory},
    {"energy", joules, "used by the processors of all hosts in inner_time; only where the kernel shows it", &of_energy<&Energy::joules>},
    {"power", watts, "the same a second", &of_energy<&Energy::watts>},
    {"overhead_time", seconds, "the tracer's own work, over all ranks", &overhead_seconds},
    {"overhead_share", share, "the same as a share of the run", &overhead_share},
    {"trace_bytes", bytes, "size of the rank files", &of_run<&RunSummary::trace_bytes>},
    {"errors", count, "findings with the severity error", &findings_of<Severity::error>},
    {"data_losses", count, "findings with the severity data_loss", &findings_of<Severity::data_loss>},
});

constexpr auto kFamilies = std::to_array<FigureFamily>({
    {"seconds", "FUNCTION", seconds, "time in a function, over all ranks; 0 if it was not called"},
    {"calls", "FUNCTION", count, "its calls, over all ranks"},
    {"bytes", "FUNCTION", bytes, "sent and received by these calls"},
    {"waits", "FUNCTION", seconds, "waits for other ranks or threads in these calls, over all ranks"},
    {"region", "NAME", seconds, "time in a region of the program, over all ranks and threads"},
    {"program_function", "NAME", seconds, "time outside MPI in a function of the program, by samples, over all ranks"},
    {"problem", "NAME", seconds, "cost of a problem of the verdict, over all ranks; 0 if it was not found"},
});
// clang-format on

}  // namespace

std::string_view unit_name(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds:
      return "s";
    case FigureUnit::bytes:
      return "bytes";
    case FigureUnit::hertz:
      return "Hz";
    case FigureUnit::joules:
      return "J";
    case FigureUnit::watts:
      return "W";
    case FigureUnit::count:
    case FigureUnit::share:
      break;
  }
  return "";
}

std::span<const Figure> figures() { return kFigures; }

std::span<const FigureFamily> figure_families() { return kFamilies; }

std::optional<FigureUnit> unit_of_figure(std::string_view name) {
  if (const auto row = std::ranges::find(kFigures, name, &Figure::name); row != kFigures.end()) return row->unit;
  const auto family = std::ranges::find(kFamilies, name.substr(0, name.find(':')), &FigureFamily::name);
  return family == kFamilies.end() ? std::nullopt : std::optional{family->unit};
}

const EfficiencySummary* run_efficiency(const Summary& summary) {
  const auto row = std::ranges::find(summary.efficiencies, "run", &EfficiencySummary::scope);
  return row == summary.efficiencies.end() ? nullptr : &*row;
}

}  // namespace meridian
