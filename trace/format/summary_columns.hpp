#pragma once

// The columns of the summary's tables on counters and context, once: HDF5, CSV and JSON are expansions of these.

#include <tuple>

#include "trace/format/summary.hpp"

namespace meridian::summary_columns {

/// One column: its name, the row's member, and the unit, empty for counts and names.
template <class Row, class Value>
struct Column {
  using Member = Value;
  const char* name;
  Value Row::*member;
  const char* unit = "";
};
template <class Row, class Value>
Column(const char*, Value Row::*) -> Column<Row, Value>;
template <class Row, class Value>
Column(const char*, Value Row::*, const char*) -> Column<Row, Value>;

inline constexpr std::tuple kContext{Column{"rank", &ContextSummary::rank}, Column{"host", &ContextSummary::host},
                                     Column{"cpu_model", &ContextSummary::cpu_model},
                                     Column{"cpus", &ContextSummary::cpus},
                                     Column{"command", &ContextSummary::command}};
inline constexpr std::tuple kUsage{Column{"rank", &UsageSummary::rank},
                                   Column{"thread", &UsageSummary::thread},
                                   Column{"user_s", &UsageSummary::user_s, "s"},
                                   Column{"system_s", &UsageSummary::system_s, "s"},
                                   Column{"minor_faults", &UsageSummary::minor_faults},
                                   Column{"major_faults", &UsageSummary::major_faults},
                                   Column{"voluntary_switches", &UsageSummary::voluntary_switches},
                                   Column{"involuntary_switches", &UsageSummary::involuntary_switches},
                                   Column{"high_water_bytes", &UsageSummary::high_water_bytes, "bytes"}};
inline constexpr std::tuple kEnvironment{
    Column{"name", &VariableSummary::name}, Column{"value", &VariableSummary::value},
    Column{"first_rank", &VariableSummary::first_rank}, Column{"ranks", &VariableSummary::ranks}};
inline constexpr std::tuple kCounters{Column{"rank", &CounterSummary::rank}, Column{"name", &CounterSummary::name},
                                      Column{"unit", &CounterSummary::unit}, Column{"mpi", &CounterSummary::mpi},
                                      Column{"compute", &CounterSummary::compute}};
inline constexpr std::tuple kFunctionCounters{Column{"function", &FunctionCounterSummary::function},
                                              Column{"counter", &FunctionCounterSummary::counter},
                                              Column{"total", &FunctionCounterSummary::total}};
inline constexpr std::tuple kMetrics{Column{"rank", &MetricSummary::rank}, Column{"part", &MetricSummary::part},
                                     Column{"name", &MetricSummary::name}, Column{"value", &MetricSummary::value}};
inline constexpr std::tuple kRegionCounters{Column{"region", &RegionCounterSummary::region},
                                            Column{"counter", &RegionCounterSummary::counter},
                                            Column{"unit", &RegionCounterSummary::unit},
                                            Column{"total", &RegionCounterSummary::total},
                                            Column{"exclusive", &RegionCounterSummary::exclusive},
                                            Column{"compute", &RegionCounterSummary::compute},
                                            Column{"mpi", &RegionCounterSummary::mpi}};
inline constexpr std::tuple kRegionMetrics{
    Column{"region", &RegionMetricSummary::region}, Column{"part", &RegionMetricSummary::part},
    Column{"name", &RegionMetricSummary::name}, Column{"value", &RegionMetricSummary::value}};
inline constexpr std::tuple kLockNames{Column{"rank", &LockNameSummary::rank},
                                       Column{"object", &LockNameSummary::object},
                                       Column{"name", &LockNameSummary::name}};

inline constexpr std::tuple kWorlds{Column{"world", &WorldSummary::world},
                                    Column{"first_rank", &WorldSummary::first_rank},
                                    Column{"ranks_expected", &WorldSummary::ranks_expected},
                                    Column{"ranks_present", &WorldSummary::ranks_present},
                                    Column{"parent", &WorldSummary::parent},
                                    Column{"executable", &WorldSummary::executable},
                                    Column{"directory", &WorldSummary::directory}};
inline constexpr std::tuple kPaths{Column{"path", &PathSummary::path},
                                   Column{"function", &PathSummary::function},
                                   Column{"begins", &PathSummary::begins},
                                   Column{"frames", &PathSummary::frames},
                                   Column{"count", &PathSummary::count},
                                   Column{"ranks", &PathSummary::ranks},
                                   Column{"total_s", &PathSummary::total_s, "s"},
                                   Column{"share", &PathSummary::share},
                                   Column{"bytes_sent", &PathSummary::bytes_sent, "bytes"},
                                   Column{"bytes_received", &PathSummary::bytes_received, "bytes"}};
inline constexpr std::tuple kPathFrames{
    Column{"path", &PathFrameSummary::path},     Column{"frame", &PathFrameSummary::frame},
    Column{"caller", &PathFrameSummary::caller}, Column{"outer", &PathFrameSummary::outer},
    Column{"file", &PathFrameSummary::file},     Column{"line", &PathFrameSummary::line},
    Column{"module", &PathFrameSummary::module}, Column{"offset", &PathFrameSummary::offset}};

inline constexpr std::tuple kCommunicators{Column{"name", &CommSummary::name},
                                           Column{"kind", &CommSummary::kind},
                                           Column{"communicators", &CommSummary::communicators},
                                           Column{"ranks", &CommSummary::ranks},
                                           Column{"p2p_calls", &CommSummary::p2p_calls},
                                           Column{"p2p_s", &CommSummary::p2p_s, "s"},
                                           Column{"collective_calls", &CommSummary::collective_calls},
                                           Column{"collective_s", &CommSummary::collective_s, "s"},
                                           Column{"other_calls", &CommSummary::other_calls},
                                           Column{"other_s", &CommSummary::other_s, "s"},
                                           Column{"bytes_sent", &CommSummary::bytes_sent, "bytes"},
                                           Column{"bytes_received", &CommSummary::bytes_received, "bytes"}};
inline constexpr std::tuple kWindows{Column{"name", &WindowSummary::name},
                                     Column{"comm", &WindowSummary::comm},
                                     Column{"windows", &WindowSummary::windows},
                                     Column{"ranks", &WindowSummary::ranks},
                                     Column{"puts", &WindowSummary::puts},
                                     Column{"put_bytes", &WindowSummary::put_bytes, "bytes"},
                                     Column{"gets", &WindowSummary::gets},
                                     Column{"get_bytes", &WindowSummary::get_bytes, "bytes"},
                                     Column{"exchanges", &WindowSummary::exchanges},
                                     Column{"exchange_bytes", &WindowSummary::exchange_bytes, "bytes"},
                                     Column{"access_s", &WindowSummary::access_s, "s"},
                                     Column{"syncs", &WindowSummary::syncs},
                                     Column{"sync_s", &WindowSummary::sync_s, "s"}};
inline constexpr std::tuple kFiles{Column{"name", &FileSummary::name},
                                   Column{"ranks", &FileSummary::ranks},
                                   Column{"opens", &FileSummary::opens},
                                   Column{"reads", &FileSummary::reads},
                                   Column{"read_bytes", &FileSummary::read_bytes, "bytes"},
                                   Column{"read_s", &FileSummary::read_s, "s"},
                                   Column{"writes", &FileSummary::writes},
                                   Column{"write_bytes", &FileSummary::write_bytes, "bytes"},
                                   Column{"write_s", &FileSummary::write_s, "s"},
                                   Column{"others", &FileSummary::others},
                                   Column{"other_s", &FileSummary::other_s, "s"}};

/// Calls visit(name, rows, columns) for every one of these tables, in the order in which they are shown. `Any` is
/// Summary or const Summary.
template <class Any, class Visit>
void for_each_table(Any& summary, Visit visit) {
  visit("worlds", summary.worlds, kWorlds);
  visit("paths", summary.paths, kPaths);
  visit("path_frames", summary.path_frames, kPathFrames);
  visit("communicators", summary.communicators, kCommunicators);
  visit("windows", summary.windows, kWindows);
  visit("files", summary.files, kFiles);
  visit("context", summary.context, kContext);
  visit("usage", summary.usage, kUsage);
  visit("environment", summary.environment, kEnvironment);
  visit("counters", summary.counters, kCounters);
  visit("function_counters", summary.function_counters, kFunctionCounters);
  visit("metrics", summary.metrics, kMetrics);
  visit("region_counters", summary.region_counters, kRegionCounters);
  visit("region_metrics", summary.region_metrics, kRegionMetrics);
  visit("lock_names", summary.lock_names, kLockNames);
}

}  // namespace meridian::summary_columns
