// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/summary/sample_summaries.hpp"

#include <cmath>
#include <limits>

namespace meridian::samples {
namespace {

constexpr std::int64_t kBegin = 1'736'942'400'123'456'789;  // 2025-01-15 12:00:00 UTC

FunctionSummary function(const char* name, const char* group, std::uint64_t count, double mean_s,
                         std::uint64_t sent = 0, std::uint64_t received = 0) {
  return {name,       group, count,   static_cast<double>(count) * mean_s, mean_s, mean_s / 8, mean_s * 4,
          mean_s / 2, sent,  received};
}

}  // namespace

Summary empty_run() {
  Summary summary;
  summary.run.executable = "/bin/true";
  return summary;
}

Summary one_rank() {
  Summary summary;
  summary.run = {"/home/user/solve", "Open MPI 4.1.4", 1, 1, 1, 1, kBegin, 2.0, 1002, 0, 0, 4096};
  summary.ranks = {{0, "laptop", 1, 1002, 0, 0, 2.0, 0.0625, 500, 4000, 500, 4000}};
  summary.functions = {function("MPI_Sendrecv", "p2p", 500, 120e-6, 4000, 4000),
                       function("MPI_Comm_rank", "comm", 500, 4e-6), function("MPI_Init", "env", 1, 0.0005),
                       function("MPI_Finalize", "env", 1, 0)};
  summary.messages.matched = 500;
  summary.messages.bytes = 4000;
  summary.pairs = {{0, 0, 500, 4000}};
  ClockSummary clock;
  clock.host = "laptop";
  clock.ranks = {0};
  clock.clock = "tsc";
  clock.model = "reference";
  clock.frequency_hz = 2.596e9;
  summary.clocks = {clock};
  summary.overhead = {{"start", 1, 0.002, 0.001}, {"finish", 1, 0.001, 0.0005}};
  return summary;
}

Summary four_ranks() {
  Summary summary;
  summary.run = {"/home/user/halo2d", "Open MPI 4.1.4", 4, 4, 5, 2, kBegin, 10.0, 400'040, 12, 60, 2'000'200};
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    RankSummary row{rank,
                    rank < 2 ? "node01" : "node02",
                    rank == 0 ? 2U : 1U,
                    100'010,
                    3,
                    15,
                    10.0,
                    6.0,
                    50'000,
                    409'600'000,
                    50'000,
                    409'600'000};
    if (rank == 0) row.mpi_s = 12.0;
    row.thread_s = rank == 0 ? 20 : 10;
    row.all_threads = rank == 0 ? 3 : 1;
    if (rank == 3) row.mpi_s = 2.0;
    summary.ranks.push_back(row);
  }
  summary.functions = {function("MPI_Waitall", "request", 100'000, 2e-4, 0, 1'638'400'000),
                       function("MPI_Allreduce", "coll", 4'000, 1.5e-3, 32'000, 32'000),
                       function("MPI_Isend", "p2p", 200'000, 1.2e-6, 1'638'400'000, 0)};
  summary.sites = {
      {"MPI_Waitall", "exchange", "main", "/home/user/src/halo2d.c", 89, 3, "/home/user/halo2d", 0x1234, 100'000, 4,
       20.0, 2e-4, 1e-6, 3e-3, 1e-4, 20.0 / 26, 0, 1'638'400'000},
      {"MPI_Allreduce", "mesh::residual(std::vector<double> const&)", "", "/home/user/src/residual_of_the_mesh.cpp",
       1204, 0, "/home/user/libmesh.so", 0x56789, 4'000, 4, 6.0, 1.5e-3, 1e-4, 6e-3, 1e-3, 6.0 / 26, 32'000, 32'000},
      {"MPI_Isend", "", "", "", 0, 0, "/opt/vendor/lib/libsolver.so.3", 0xabcdef, 200'000, 3, 0.24, 1.2e-6, 1e-7, 5e-6,
       6e-7, 0.24 / 26, 1'638'400'000, 0}};
  summary.paths = {{0, "MPI_Waitall", "program", 3, 100'000, 4, 20.0, 20.0 / 26, 0, 1'638'400'000},
                   {1, "MPI_Allreduce", "deeper", 35, 1, 1, 4.0, 4.0 / 26, 8, 8},
                   {2, "MPI_Allreduce", "lost", 3, 3'999, 4, 2.0, 2.0 / 26, 31'992, 31'992}};
  const std::string halo = "/home/user/src/halo2d.c", mesh = "/home/user/libmesh.so";
  summary.path_frames = {{0, 0, "main", "", halo, 120, "/home/user/halo2d", 0x1400},
                         {0, 1, "step", "", halo, 101, "/home/user/halo2d", 0x1300},
                         {0, 2, "exchange", "step", halo, 89, "/home/user/halo2d", 0x1234}};
  for (std::uint64_t i = 0; i < 30; ++i)
    summary.path_frames.push_back(
        {1, i, "level" + std::to_string(i) + "(int)", "", "tree.cpp", static_cast<std::uint32_t>(i + 1), mesh, i});
  for (std::uint64_t i = 30; i < 35; ++i) summary.path_frames.push_back({1, i, "leaf", "", "tree.cpp", 99, mesh, 99});
  summary.path_frames.push_back({2, 0, "", "", "", 0, "", 0x7f0012345678});
  summary.path_frames.push_back({2, 1, "", "", "", 0, "/opt/vendor/lib/libsolver.so.3", 0xabc});
  summary.path_frames.push_back({2, 2, "mesh::norm_of_the_residual_over_all_cells_and_faces<double>", "",
                                 "/home/user/src/residual_of_the_mesh.cpp", 1204, mesh, 0x56789});
  summary.messages = {200'000, 1'638'400'000, 1, 0, 1'000, 4'000, 32'000, 32'000};
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    summary.pairs.push_back({rank, (rank + 1) % 4, 25'000, 204'800'000});
    summary.pairs.push_back({rank, (rank + 3) % 4, 25'000, 204'800'000});
  }
  ClockSummary reference;
  reference.host = "node01";
  reference.ranks = {0, 1};
  reference.clock = "tsc";
  reference.model = "reference";
  reference.frequency_hz = 2.6e9;
  ClockSummary other = reference;
  other.host = "node02";
  other.domain = 1;
  other.leader = 2;
  other.ranks = {2, 3};
  other.model = "linear";
  other.offset_s = -12.345678901;
  other.drift_ppm = 3.25;
  other.residual_s = 4.2e-7;
  other.offset_error_s = 5e-8;
  other.drift_error_ppm = 0.005;
  other.rtt_min_s = 2.4e-6;
  other.rtt_median_s = 3.1e-6;
  other.exchanges = 60;
  other.exchanges_dropped = 2;
  summary.clocks = {reference, other};
  summary.reversed_before = 17;
  summary.regions = {{"solve", 400, 38.5, 12.25, 20.5, 0.09, 0.25},
                     {"exchange halo", 4000, 26.25, 26.25, 20.5, 0.001, 0.125}};
  summary.user_events = {{"counter", "counter", "residual", 400, 1e-9, 0.125, 2, 1e-9},
                         {"event", "pool", "STEAL_REQUEST", 123, 0, 0, 0, 0}};
  summary.passed = {
      {0, "MPI_Wtime", "env", 800}, {1, "MPI_Test", "request", 120'000}, {3, "MPI_Test", "request", 3'456}};
  summary.user_messages = 12;
  summary.user_message_bytes = 4096;
  summary.overhead = {
      {"record", 400'040, 0.0072, 0.00018}, {"start", 4, 0.04, 0.001}, {"clock exchange", 8, 0.012, 0.0003}};
  summary.findings = {
      {"message.unmatched_send", Severity::error, 1, "Messages were sent that nobody received.",
       "Look for a receive with another tag, source or communicator.", "rank 2 to rank 1, tag 7, 8192 bytes"},
      {"call.unfinished", Severity::info, 2,
       "These calls had not returned when the trace ends. They are counted; their time is that until the program "
       "ended, "
       "if that was seen, otherwise none.",
       "If the program hung, ask `meridian where` which of them others wait for.", ""}};
  return summary;
}

Summary counted() {
  Summary summary = one_rank();
  summary.run.ranks_expected = summary.run.ranks_present = 2;
  summary.ranks.push_back(summary.ranks.front());
  summary.ranks.back().rank = 1;
  summary.context = {{0, "laptop", "Processor 9000", "0-3", "./solve --all"},
                     {1, "laptop", "Processor 9000", "4-7", "./solve --all"}};
  summary.usage = {{0, -1, 1.5, 0.25, 1000, 2, 30, 4, 32u << 20, 0.5},
                   {0, 0, 1.25, 0.125, 900, 2, 20, 3, 0},
                   {1, -1, 2.5, 0.5, 2000, 1, 31, 5, 48u << 20},
                   {1, 0, 2.5, 0.5, 2000, 1, 31, 5, 0}};
  summary.communicators = {{"MPI_COMM_WORLD", "world", 1, 2, 40, 0.5, 8, 0.25, 4, 0.001, 4096, 4096},
                           {"", "intra", 3, 2, 0, 0, 6, 0.125, 3, 0.002, 48, 48}};
  summary.window_locks = {{"halo", "MPI_COMM_WORLD", 1, 0, 12, 0.25, 0.0625, 5}};
  summary.windows = {{"halo", "MPI_COMM_WORLD", 1, 2, 100, 819'200, 50, 409'600, 2, 32, 0.75, 12, 1.5},
                     {"", "communicator 5", 2, 2, 0, 0, 0, 0, 0, 0, 0, 8, 0.01}};
  summary.files = {{"/scratch/run/checkpoint.0001", FileSummary::kMpiIo, 2, 2, 0, 0, 0, 20, 1u << 30, 2.5, 6, 0.25}};
  summary.environment = {{"OMP_NUM_THREADS", "2", 0, 2}, {"SLURM_PROCID", "0", 0, 1}, {"SLURM_PROCID", "1", 1, 1}};
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    summary.counters.push_back({rank, "PAPI_TOT_INS", "1", 1'000'000, 4'000'000'000});
    summary.counters.push_back({rank, "PAPI_TOT_CYC", "1", 2'000'000, 2'000'000'000});
    summary.counters.push_back({rank, "rusage:utime_us", "us", 250'000, 1'500'000});
    summary.counters.push_back({rank, "sde:::QUEUE::LENGTH", "1", -3, 3});
  }
  summary.region_counters = {
      {"solve", "PAPI_TOT_INS", "1", 3'000'000'000, 1'000'000'000, 2'500'000'000, 500'000'000},
      {"solve", "rusage:utime_us", "us", 1'250'000, 250'000, 1'000'000, 250'000},
      {"exchange", "PAPI_TOT_INS", "1", 2'000'000'000, 2'000'000'000, 1'500'000'000, 500'000'000},
      {"exchange", "rusage:utime_us", "us", 1'000'000, 1'000'000, 750'000, 250'000}};
  summary.region_metrics = {{"solve", "compute", "instructions per cycle", 1.75},
                            {"solve", "compute", "PAPI_TOT_INS per second", 2.5e9},
                            {"solve", "mpi", "instructions per cycle", 0.25},
                            {"exchange", "compute", "instructions per cycle", 1.5}};
  summary.lock_names = {{0, 0x7f0000001000, "/jobs"}};
  summary.function_counters = {{"MPI_Comm_rank", "PAPI_TOT_INS", 500'000},
                               {"MPI_Comm_rank", "PAPI_TOT_CYC", 250'000},
                               {"MPI_Sendrecv", "PAPI_TOT_INS", 1'500'000},
                               {"MPI_Sendrecv", "PAPI_TOT_CYC", 3'750'000}};
  for (std::int32_t rank = -1; rank < 2; ++rank)
    for (const bool is_mpi : {false, true}) {
      const char* const part = is_mpi ? "mpi" : "compute";
      summary.metrics.push_back({rank, part, "instructions per cycle", is_mpi ? 0.5 : 2.0});
      summary.metrics.push_back({rank, part, "PAPI_TOT_INS per second", is_mpi ? 16e6 : 2.0645e9});
    }
  summary.locks = {{0, "mutex", 0x55d0c0de, 1, 48'000, 1'234, 0.625, 0.015, 3, 0, 1'200, 2, 700},
                   {0, "semaphore", 0x7f0000001000, 1, 20, 3, 0.5, 0.25, 2, -1, 0, 1, 3},
                   {0, "semaphore", 0, 1, 16, 0, 0, 0, 0, -1, 0, -1, 0}};
  summary.threads = {{0, 0, "", 0, "", -1, 4711, 0, 2, 40, 0, 0},
                     {0, 2, "worker", 0x55d00042, "", 0, 4713, 0.25, 1.5, 34, 1'200, 0},
                     {1, 1, "", 0x401000, "pool::Worker::run(void*)", 0, 4714, 0.25, 1.5, 12, 0, 5}};
  return summary;
}

Summary several_worlds() {
  Summary summary = four_ranks();
  const std::string program = "/home/user/a/folder/with/a/long/name/and/another/one/in/it/worker";
  summary.worlds = {{1, 0, 1, 1, 0, "/home/user/master", "trace"},
                    {2, 1, 2, 2, 1, program, "trace/world-2"},
                    {3, 3, 2, 1, 2, program, "trace/world-3"}};
  summary.run.ranks_expected = 5;
  return summary;
}

Summary ten_thousand_ranks() {
  constexpr std::int32_t kRanks = 10'000;
  Summary summary;
  summary.run = {"/scratch/project/very/long/path/that/does/not/fit/into/a/line/of/a/terminal/simulation.exe",
                 "MPICH 4.0.2",
                 kRanks,
                 kRanks,
                 40'000,
                 100,
                 kBegin,
                 7200.0,
                 123'456'789'012,
                 0,
                 0,
                 700'000'000'000};
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    summary.ranks.push_back({rank, "node" + std::to_string(1000 + rank / 100), 4, 12'345'678, 0, 0, 7200.0,
                             28800.0 * (0.25 + 0.00005 * rank), 1'000'000, 8'000'000'000, 1'000'000, 8'000'000'000, 4,
                             28800.0});
    summary.pairs.push_back({rank, (rank + 1) % kRanks, 1'000'000, 8'000'000'000});
  }
  for (int i = 0; i < 40; ++i)
    summary.functions.push_back(function(("MPI_Function_number_" + std::to_string(10 + i)).c_str(), "p2p",
                                         3'000'000'000U + static_cast<std::uint64_t>(i), 1e-3 / (1 + i), 1ULL << 40,
                                         1ULL << 41));
  summary.messages = {10'000'000'000, 80'000'000'000'000, 0, 0, 7200, 72'000'000, 576'000'000, 576'000'000};
  for (std::uint32_t host = 0; host < 100; ++host) {
    ClockSummary clock;
    clock.host = "node" + std::to_string(1000 + host);
    clock.domain = host;
    clock.leader = static_cast<std::int32_t>(host * 100);
    for (std::int32_t rank = 0; rank < 100; ++rank) clock.ranks.push_back(clock.leader + rank);
    clock.clock = "tsc";
    clock.model = host == 0 ? "reference" : "linear";
    clock.frequency_hz = 2.6e9;
    clock.offset_s = host * 1000.5;
    clock.drift_ppm = host * -0.25;
    clock.residual_s = host * 1e-8;
    clock.rtt_min_s = host == 0 ? 0 : 1.9e-6;
    clock.rtt_median_s = host == 0 ? 0 : 2.5e-6;
    clock.exchanges = host == 0 ? 0 : 200;
    summary.clocks.push_back(clock);
  }
  summary.reversed_before = 1'234'567'890;
  summary.overhead = {{"record", 123'456'789'012, 2222.2, 0.0000309}, {"flush wait", 12, 3.5e6, 0.0486}};
  summary.findings = {{"loss.ring_full", Severity::data_loss, 12'345,
                       "Calls were dropped because rings were full (MERIDIAN_FULL=drop).", "Enlarge MERIDIAN_BUFFER.",
                       "ranks 17, 400, 4711"}};
  return summary;
}

Summary hostile() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Summary summary;
  summary.run = {"/tmp/\033[2Jevil\nline\x7f",
                 "\xff\xfe broken \xc3",
                 -5,
                 -7,
                 kMost,
                 kMost,
                 std::numeric_limits<std::int64_t>::min(),
                 kNaN,
                 kMost,
                 kMost,
                 kMost,
                 kMost};
  summary.ranks = {
      {-1, "\u202Eright-to-left", 0, kMost, kMost, kMost, kInfinity, -kInfinity, kMost, kMost, kMost, kMost},
      {std::numeric_limits<std::int32_t>::max(), std::string(300, 'h'), kMost, 0, 0, 0, 1e300, 1e-300, 0, 0, 0, 0}};
  summary.functions = {{"MPI_\"Send\",\t=1+1\r", "p2p", kMost, 1e300, kNaN, -1e-12, kInfinity, 1e-300, kMost, kMost},
                       {std::string(5000, 'f'), "", 0, 0, 0, 0, 0, 0, 0, 0}};
  summary.paths = {
      {7, "MPI_\x1b[31m" + std::string(200, 'p'), "deeper\n", kMost, kMost, kMost, kNaN, -kInfinity, kMost, kMost},
      {7, "", "lost", 0, 0, 0, 1e300, 1e300, 0, 0}};
  summary.path_frames = {{7, kMost, "main\n\033[2J", std::string(300, 'o'), "a\tb", 0xffffffff, "\xff", kMost},
                         {7, 0, std::string(300, 'n'), "", std::string(300, '/'), 0, std::string(300, 'm'), 0},
                         {8, 0, "nobody's", "", "", 0, "", 0}};
  summary.messages = {kMost, kMost, kMost, kMost, kMost, kMost, kMost, kMost};
  summary.pairs = {{-1, std::numeric_limits<std::int32_t>::min(), kMost, kMost}, {5, 5, 0, 0}};
  ClockSummary clock;
  clock.host =
      "a\x01"
      "b";
  clock.ranks = {5, -1, 3, 3};
  clock.offset_s = 1e300;
  clock.drift_ppm = -kInfinity;
  clock.residual_s = kNaN;
  clock.rtt_min_s = -1;
  clock.exchanges = kMost;
  summary.clocks = {clock};
  summary.reversed_before = kMost;
  summary.reversed_after = kMost;
  summary.overhead = {{"\xe2\x80\xae", kMost, kNaN, kInfinity}};
  summary.findings = {
      {std::string(200, 'n'), Severity::error, kMost, std::string(500, 't'), "\033]0;title\a", "\x01\x02"}};
  return summary;
}

}  // namespace meridian::samples
