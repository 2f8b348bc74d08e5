// SPDX-License-Identifier: Apache-2.0
// Writes simulated runs as ordinary traces, and the truth.
//
//   clock_traces write DIR SCENARIO SEED [HOSTS SECONDS [TRUTH]]     rank files
//   clock_traces list                                                scenarios
//   clock_traces list-steps                                          those with steps, of stepped_runs()
//
// HOSTS and SECONDS 0: those of the scenario. With TRUTH the program prints `written` after the rank files, reads the
// number of a rank from standard input, and writes the file TRUTH: five int64 a call, which are its rank, its number in
// the rank, begin and end on the clock of the rank that was read, and begin on the clock of its own rank.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "clock_scenarios.hpp"
#include "tests/unit/merger/synthetic_trace.hpp"

namespace {

using namespace meridian;
using namespace meridian::test;

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const Acceptance& one : acceptances()) all.push_back(one.scenario);
  for (const Broken& one : broken_runs())
    if (one.scenario.fault != Fault::false_messages) all.push_back(one.scenario);  // calls are as they were made
  return all;
}

std::optional<Scenario> find_scenario(const std::string& name) {
  for (const auto& list : {scenarios(), stepped_runs()})
    for (const Scenario& one : list)
      if (one.name == name) return one;
  return std::nullopt;
}

void add_call(SyntheticThread& thread, const SimulatedCall& call) {
  constexpr std::int32_t kTag = 7;
  constexpr std::int64_t kBytes = 64;
  const At at{call.enter_ticks, call.leave_ticks};
  switch (call.kind) {
    case SimulatedCall::send:
      return thread.send(at, call.peer, kTag, kBytes);
    case SimulatedCall::receive:
      return thread.receive(at, call.peer, kTag, kBytes);
    case SimulatedCall::allreduce:
      return thread.collective(CallId::Allreduce, at, 8, 8);
  }
}

void write_rank(const SimulatedRun& run, int number, const std::filesystem::path& directory) {
  SyntheticRank rank{number, run.ranks()};
  auto comms = std::move(rank.meta.comms);
  rank.meta = run.metas[static_cast<std::size_t>(number)];
  rank.meta.comms = std::move(comms);
  for (const SimulatedCall& call : run.calls[static_cast<std::size_t>(number)]) add_call(rank.thread(), call);
  rank.write(directory / rank_file_name(number));
}

void write_truth(const SimulatedRun& run, int reference_rank, std::ofstream& out) {
  const SimulatedClock& reference = run.clocks[static_cast<std::size_t>(run.host_of(reference_rank))];
  // Global time continues across a step of the reference.
  const auto global = [&](double true_s) {
    return static_cast<std::int64_t>(reference.ticks(true_s)) - reference.set_by_ns(true_s);
  };
  for (int rank = 0; rank < run.ranks(); ++rank) {
    std::int64_t number = 0;
    for (const SimulatedCall& call : run.calls[static_cast<std::size_t>(rank)]) {
      const std::int64_t row[5] = {rank, number++, global(call.enter_s), global(call.leave_s),
                                   static_cast<std::int64_t>(call.enter_ticks)};
      out.write(reinterpret_cast<const char*>(row), sizeof row);
    }
  }
}

/// Waits for the number of the reference rank, which the merge chooses, on standard input: the run need not be simulated
/// a second time.
int write_truth_on_request(const SimulatedRun& run, const std::string& path) {
  std::puts("written");
  std::fflush(stdout);
  int reference_rank = -1;
  if (std::scanf("%d", &reference_rank) != 1 || reference_rank < 0 || reference_rank >= run.ranks()) return 1;
  std::ofstream out{path, std::ios::binary};
  write_truth(run, reference_rank, out);
  return out.good() ? 0 : 1;
}

int run_command(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "list") {
    for (const Scenario& one : scenarios()) std::printf("%s\n", one.name.c_str());
    return 0;
  }
  if (words.size() == 1 && words[0] == "list-steps") {
    for (const Scenario& one : stepped_runs()) std::printf("%s\n", one.name.c_str());
    return 0;
  }
  auto scenario = words.size() >= 4 ? find_scenario(words[2]) : std::nullopt;
  if (!scenario) {
    std::fprintf(stderr, "usage: clock_traces list | list-steps | write DIR SCENARIO SEED [HOSTS SECONDS [TRUTH]]\n");
    return 1;
  }
  scenario->seed = std::stoull(words[3]);
  if (words.size() > 4 && words[4] != "0") scenario->hosts = std::stoi(words[4]);
  if (words.size() > 5 && words[5] != "0") scenario->seconds = std::stod(words[5]);
  const SimulatedRun run{*scenario, true};
  std::filesystem::create_directories(words[1]);
  for (int rank = 0; rank < run.ranks(); ++rank) write_rank(run, rank, words[1]);
  return words.size() > 6 ? write_truth_on_request(run, words[6]) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "clock_traces: %s\n", problem.what());
    return 1;
  }
}
