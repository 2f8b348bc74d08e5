#pragma once

// What a run's summary says, whoever prints it: computed by the merger, stored in the merged file, printed as text,
// CSV and JSON. Times in seconds unless the name says otherwise.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

enum class Severity : std::uint8_t { info = 0, data_loss = 1, error = 2 };

/// A flaw of the trace. Name, severity and sentence come from merger/findings.def.
struct Finding {
  std::string name;
  Severity severity{};
  std::uint64_t count = 0;
  std::string text;    ///< one sentence: what it is, with the remedy
  std::string detail;  ///< the first objects concerned, may be empty
};

struct RunSummary {
  std::string executable;
  std::string mpi_library;
  std::int32_t ranks_expected = 0;  ///< size of MPI_COMM_WORLD; of all of them where there are several
  std::int32_t ranks_present = 0;
  std::uint64_t threads = 0;
  std::uint64_t hosts = 0;
  std::int64_t begin_realtime_ns = 0;  ///< UTC of the first event
  double time_s = 0;                   ///< first event to last
  std::uint64_t calls = 0;
  std::uint64_t trace_bytes = 0;  ///< of the rank files
};

/// The processes of one MPI_COMM_WORLD, where a trace has several. Their ranks follow one another.
struct WorldSummary {
  std::int32_t world = 0;  ///< from 1
  std::int32_t first_rank = 0;
  std::int32_t ranks_expected = 0;  ///< size of its MPI_COMM_WORLD
  std::int32_t ranks_present = 0;
  std::int32_t parent = 0;  ///< world that started it; 0: none, or not known
  std::string executable;
  std::string directory;  ///< of its rank files
};

struct RankSummary {
  std::int32_t rank = 0;
  std::string host;
  std::uint64_t threads = 0;
  std::uint64_t calls = 0;
  double time_s = 0;  ///< first to last event of this rank
  double mpi_s = 0;   ///< in MPI, summed over threads
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;  ///< point to point
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
};

struct FunctionSummary {
  std::string name;
  std::string group;
  std::uint64_t count = 0;
  double total_s = 0, mean_s = 0, min_s = 0, max_s = 0, sd_s = 0;  ///< sd: of the population of calls
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// The calls of one function from one place in the program.
struct SiteSummary {
  std::string function;  ///< that was called: "MPI_Send"
  std::string caller;    ///< function that the call is in; empty: not known
  std::string outer;     ///< function into whose code the caller was inlined; empty: into none
  std::string file;      ///< source file; empty: not known
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< 0: not known
  std::string module;        ///< file that was loaded; empty: not known
  std::uint64_t offset = 0;  ///< of the return address in the module
  std::uint64_t count = 0;
  std::uint64_t ranks = 0;  ///< that called from here
  double total_s = 0, mean_s = 0, min_s = 0, max_s = 0, sd_s = 0;
  double share = 0;  ///< of the time of all calls of the run
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// The calls of one function by one call path.
struct PathSummary {
  std::uint64_t path = 0;  ///< number of the row: PathFrameSummary::path names it
  std::string function;    ///< that was called: "MPI_Send"
  std::string begins;      ///< at the outermost frame: "program"; "deeper", "lost": there were callers, not recorded
  std::uint64_t frames = 0;
  std::uint64_t count = 0;
  std::uint64_t ranks = 0;  ///< that called by it
  double total_s = 0;
  double share = 0;  ///< of the time of all calls of the run
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// One frame of a call path: where a function calls the next, or the one that the path is about.
struct PathFrameSummary {
  std::uint64_t path = 0;
  std::uint64_t frame = 0;  ///< 0: the outermost
  std::string caller;       ///< function; empty: not known
  std::string outer;        ///< function into whose code the caller was inlined; empty: into none
  std::string file;         ///< source file; empty: not known
  std::uint32_t line = 0;
  std::string module;        ///< file that was loaded; empty: not known
  std::uint64_t offset = 0;  ///< of the return address in the module
};

struct MessageSummary {
  std::uint64_t matched = 0;
  std::uint64_t bytes = 0;
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t collectives = 0;  ///< instances, each counted once
  std::uint64_t collective_calls = 0;
  std::uint64_t collective_bytes_sent = 0;
  std::uint64_t collective_bytes_received = 0;
};

/// Messages from one world rank to another; only pairs that have any, ordered by (source, dest).
struct PairSummary {
  std::int32_t source = 0;
  std::int32_t dest = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct ClockSummary {
  std::string host;
  std::uint32_t domain = 0;         ///< hosts with the same number share one clock
  std::int32_t leader = 0;          ///< world rank that took part in the round trips
  std::vector<std::int32_t> ranks;  ///< on this host
  std::string clock;                ///< "tsc", "monotonic_raw", "monotonic"
  std::string model;                ///< "reference", "shared", "linear", "offset", "realtime" (fallback, flagged)
  double frequency_hz = 0;
  double offset_s = 0;  ///< global = local + offset at the start of the trace
  double drift_ppm = 0;
  double residual_s = 0;      ///< standard deviation of the fit's residuals
  double offset_error_s = 0;  ///< standard error of the fit
  double drift_error_ppm = 0;
  double rtt_min_s = 0;
  double rtt_median_s = 0;
  std::uint64_t exchanges = 0;
  std::uint64_t exchanges_dropped = 0;
  double t1_s = -1;  ///< typical half width of the bounds T1 and T2; -1: there is none
  double t2_s = -1;
};

/// What one clock model makes of the trace's messages between clock domains.
struct ClockModelSummary {
  std::string name;
  bool is_chosen = false;      ///< the merged file has this one
  std::uint64_t messages = 0;  ///< between domains
  std::uint64_t reversed = 0;  ///< of these, received no later than sent
  double worst_s = 0;          ///< the most that one is received before it is sent
  double residual_s = 0;       ///< of the round trips
};

/// A region that the program marked, over all ranks and threads.
struct RegionSummary {
  std::string name;
  std::uint64_t count = 0;
  double total_s = 0;           ///< inclusive; of a region inside of itself the outermost alone
  double exclusive_s = 0;       ///< without the regions inside
  double mpi_s = 0;             ///< of the total, in MPI calls of the same thread
  double min_s = 0, max_s = 0;  ///< of one time through, inclusive
};

/// Any other event that the program marked, over all ranks.
struct UserEventSummary {
  std::string kind;  ///< "marker", "event", "counter", "send", "receive"
  std::string level;
  std::string name;
  std::uint64_t count = 0;
  double min = 0, mean = 0, max = 0, last = 0;  ///< of a counter's values; last: at the latest time
};

/// Calls of one function on one rank that were not recorded, because of levels, a filter, a limit or a switch.
struct PassedSummary {
  std::int32_t rank = 0;
  std::string name;
  std::string group;
  std::uint64_t count = 0;
};

/// The tracer's own time.
struct OverheadSummary {
  std::string name;
  std::uint64_t count = 0;
  double total_s = 0;
  double share = 0;  ///< of ranks x run time
};

/// What one rank counted with one counter, over all its threads. A thread counts from its first call to its last.
struct CounterSummary {
  std::int32_t rank = 0;
  std::string name;          ///< "PAPI_TOT_INS"
  std::string unit;          ///< "1", "us"
  std::int64_t mpi = 0;      ///< in MPI calls
  std::int64_t compute = 0;  ///< outside of them
};

/// What the calls of one function counted, over all ranks.
struct FunctionCounterSummary {
  std::string function;
  std::string counter;
  std::int64_t total = 0;
};

/// What was counted while a region of the program was open, over all ranks and threads.
struct RegionCounterSummary {
  std::string region;
  std::string counter;
  std::string unit;
  std::int64_t total = 0;      ///< of a region inside of itself the outermost alone
  std::int64_t exclusive = 0;  ///< without the regions inside
  std::int64_t compute = 0;    ///< of the total, outside of MPI calls
  std::int64_t mpi = 0;        ///< and in them
};

/// As MetricSummary, of a region over all ranks.
struct RegionMetricSummary {
  std::string region;
  std::string part;  ///< "mpi", "compute"
  std::string name;
  double value = 0;
};

/// A name that the program gave to a lock.
struct LockNameSummary {
  std::int32_t rank = 0;
  std::uint64_t object = 0;  ///< as in LockSummary
  std::string name;          ///< several that followed one another: "/a, /b"
};

/// A figure made of counters and time: a row of merger/statistics/metrics.def, or the rate of a counter.
struct MetricSummary {
  std::int32_t rank = -1;  ///< -1: all ranks together
  std::string part;        ///< "mpi", "compute"
  std::string name;        ///< "instructions per cycle", "PAPI_TOT_INS per second"
  double value = 0;
};

/// Where a rank ran, and as what.
struct ContextSummary {
  std::int32_t rank = 0;
  std::string host;
  std::string cpu_model;
  std::string cpus;  ///< processors that it may run on: "0-3,8"
  std::string command;
};

/// What a thread, or the process, had used of the system when it ended, since it began.
struct UsageSummary {
  std::int32_t rank = 0;
  std::int32_t thread = -1;  ///< -1: the process
  double user_s = 0;
  double system_s = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t high_water_bytes = 0;  ///< most memory resident; of the process alone
};

/// An environment variable with one of its values.
struct VariableSummary {
  std::string name;
  std::string value;
  std::int32_t first_rank = 0;
  std::uint64_t ranks = 0;  ///< that have this value
};

/// What the program did to a file through MPI, over all ranks. Calls that only begin an access have its bytes; the wait
/// for its end is not in their time.
struct FileSummary {
  std::string name;  ///< as it was opened
  std::uint64_t ranks = 0;
  std::uint64_t opens = 0;
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  double read_s = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  double write_s = 0;
  std::uint64_t others = 0;  ///< open, close, seek, set_view...
  double other_s = 0;
};

/// What the program did to the windows of one name on one communicator, over all ranks.
struct WindowSummary {
  std::string name;  ///< may be empty
  std::string comm;
  std::uint64_t windows = 0;
  std::uint64_t ranks = 0;
  std::uint64_t puts = 0;  ///< Put, Accumulate and their like
  std::uint64_t put_bytes = 0;
  std::uint64_t gets = 0;
  std::uint64_t get_bytes = 0;
  std::uint64_t exchanges = 0;  ///< calls that do both
  std::uint64_t exchange_bytes = 0;
  double access_s = 0;      ///< in all of these
  std::uint64_t syncs = 0;  ///< fences, locks, flushes, making and freeing...
  double sync_s = 0;
};

/// Calls about the communicators of one name, kind and size, over all ranks. Calls about several have no place here.
struct CommSummary {
  std::string name;  ///< empty: those without a name
  std::string kind;  ///< "world", "self", "intra", "inter"
  std::uint64_t communicators = 0;
  std::uint64_t ranks = 0;  ///< in each
  std::uint64_t p2p_calls = 0;
  double p2p_s = 0;
  std::uint64_t collective_calls = 0;
  double collective_s = 0;
  std::uint64_t other_calls = 0;
  double other_s = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// What happened at one lock of one rank. Without the calls that MERIDIAN_LOCKS left out.
struct LockSummary {
  std::int32_t rank = 0;
  std::string kind;                ///< "mutex", "condition", "rwlock", "barrier", "spin", "once", "semaphore"
  std::uint64_t object = 0;        ///< address; 0: those beyond the objects that are kept apart, together
  std::uint64_t lives = 0;         ///< times that something was made at the address; at least 1
  std::uint64_t acquisitions = 0;  ///< successful ones, waited for or not; of conditions: waits that ended well
  std::uint64_t contended = 0;     ///< waits, also those in vain
  double wait_s = 0;               ///< in those waits
  double longest_s = 0;
  std::uint64_t most_waiters = 0;  ///< threads that waited at one moment
  std::int64_t holder = -1;        ///< thread that had it in most waits; -1: not known
  std::uint64_t held = 0;          ///< in how many
  std::int64_t waiter = -1;        ///< thread that waited most often; -1: none
  std::uint64_t waited = 0;        ///< how often
};

struct ThreadSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::string name;           ///< as the program set it; may be empty
  std::uint64_t routine = 0;  ///< address of its start routine; 0: not known
  std::string routine_name;   ///< empty: not known
  std::int64_t creator = -1;  ///< thread; -1: not known
  std::int32_t kernel_tid = 0;
  double begin_s = 0;  ///< from the first event of the run on
  double life_s = 0;   ///< until its end, or the rank's last event
  std::uint64_t calls = 0;
};

struct Summary {
  RunSummary run;
  std::vector<WorldSummary> worlds;  ///< empty where there is one
  std::vector<RankSummary> ranks;
  std::vector<FunctionSummary> functions;     ///< by total time, longest first; ties by name
  std::vector<SiteSummary> sites;             ///< by total time, longest first
  std::vector<PathSummary> paths;             ///< likewise, the first thousand of them
  std::vector<PathFrameSummary> path_frames;  ///< by path, from the outermost on
  MessageSummary messages;
  std::vector<PairSummary> pairs;
  std::vector<ClockSummary> clocks;
  std::vector<ClockModelSummary> clock_models;  ///< empty where all ranks share one clock
  std::uint64_t reversed_before = 0;            ///< messages and collectives out of order before events were moved
  std::uint64_t reversed_after = 0;             ///< always 0 in a file that the merger wrote
  std::vector<RegionSummary> regions;           ///< by total time, longest first; ties by name
  std::vector<UserEventSummary> user_events;    ///< by level and name
  std::uint64_t user_messages = 0;              ///< matched ones of the program's own layers; not in `messages`
  std::uint64_t user_message_bytes = 0;
  std::vector<PassedSummary> passed;  ///< by rank; most first, ties by name
  std::vector<OverheadSummary> overhead;
  std::vector<CommSummary> communicators;  ///< by time, longest first; ties by name
  std::vector<WindowSummary> windows;      ///< the same
  std::vector<FileSummary> files;          ///< the same
  std::vector<ContextSummary> context;
  std::vector<UsageSummary> usage;
  std::vector<VariableSummary> environment;
  std::vector<CounterSummary> counters;
  std::vector<FunctionCounterSummary> function_counters;  ///< by function name, then as the counters
  std::vector<MetricSummary> metrics;
  std::vector<RegionCounterSummary> region_counters;  ///< in the order of `regions`, then as the counters
  std::vector<RegionMetricSummary> region_metrics;
  std::vector<LockNameSummary> lock_names;
  std::vector<LockSummary> locks;      ///< by rank, and in it by time waited, longest first
  std::vector<ThreadSummary> threads;  ///< of ranks that have more than one
  std::vector<Finding> findings;
};

}  // namespace meridian
