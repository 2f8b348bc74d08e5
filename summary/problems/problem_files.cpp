// SPDX-License-Identifier: Apache-2.0
// Files that the program reads and writes itself, without MPI.
#include "summary/problems/problem_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "summary/problems/problem_transfers.hpp"
#include "summary/problems/problems.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kMuchTime = 0.02;                 ///< share of the ranks' time
constexpr double kOneFile = 0.5;                   ///< share of the time, from which on it is a matter of one file
constexpr std::uint64_t kSmallAccess = 64 * 1024;  ///< bytes, mean: what a call costs matters
constexpr std::uint64_t kPieces = 2;               ///< accesses of each rank

double time_of(const FileSummary& file) { return file.read_s + file.write_s + file.other_s; }

/// "192 MiB written in 54.9 ms (3.67 GB/s)"
std::string moved(std::uint64_t bytes, const char* verb, double time_s) {
  const double rate = time_s > 0 ? static_cast<double>(bytes) / time_s : 0;
  return fmt::format("{} {} in {}{}", human_bytes(static_cast<double>(bytes)), verb, human_duration(time_s),
                     rate > 0 ? fmt::format(" ({}/s)", human_bytes(rate)) : "");
}

std::string describe(const FileSummary& file) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (file.writes != 0) add(moved(file.write_bytes, "written", file.write_s));
  if (file.reads != 0) add(moved(file.read_bytes, "read", file.read_s));
  if (file.others != 0)
    add(fmt::format("{} in other calls, such as open, fsync and close", human_duration(file.other_s)));
  return text;
}

std::string remedy_for(const FileSummary& file, const FunctionSummary& longest) {
  const std::uint64_t calls = file.reads + file.writes, bytes = file.read_bytes + file.write_bytes;
  const std::uint64_t ranks = std::max<std::uint64_t>(file.ranks, 1);
  const bool is_in_pieces = calls >= kPieces * ranks && bytes / calls < kSmallAccess;
  if (is_in_pieces && bytes / ranks < kSmallAccess) return "Access the file in one piece.";
  if (is_in_pieces) return "Access the file in larger pieces: 64 KiB or more at a time.";
  if (longest.name == "fsync" || longest.name == "fdatasync")
    return "Call it less often: what is written is safe from the end of the program without it, only not from that of "
           "the machine.";
  return file.ranks == 1 ? "Let all ranks have a part of the file (MPI_File_write_all), or a thread access it while "
                           "the ranks compute."
                         : "Access the file less often, or all ranks together (MPI_File_write_all).";
}

/// Where no file has most of the time. longest: the one with most
std::string remedy_for_many(const Summary& summary, const FileSummary& longest) {
  double read_s = 0, write_s = 0;
  for (const FileSummary& file : summary.files)
    if (file.is_posix()) read_s += file.read_s, write_s += file.write_s;
  return longest.ranks > 1 && read_s > write_s
             ? "Access fewer files, or let one rank read them and send their contents (MPI_Bcast)."
             : "Access fewer files: put the contents of several into one.";
}

}  // namespace

bool is_file_call(const DelaySummary* delay) {
  return delay != nullptr && delay->what == "call" && is_of_files(facts_of(delay->function).group);
}

const DelaySummary* main_file_delay(const Summary& summary, std::int32_t rank, double least_s) {
  const DelaySummary* longest = nullptr;
  double all_s = 0;
  for (const DelaySummary& delay : summary.delays) {
    if (delay.rank != rank || !is_file_call(&delay)) continue;
    all_s += delay.short_term_s;
    if (longest == nullptr || delay.short_term_s > longest->short_term_s) longest = &delay;
  }
  return all_s >= least_s ? longest : nullptr;
}

double file_delays_of(const Summary& summary, std::int32_t rank) {
  double all_s = 0;
  for (const DelaySummary& delay : summary.delays)
    if (delay.rank == rank && is_file_call(&delay)) all_s += delay.of_ranks_s();
  return all_s;
}

void find_file_problem(const Summary& summary, const Load& load, const std::map<std::string, ChargedWaits>& charged,
                       std::vector<ProblemSummary>& problems) {
  const FunctionSummary* longest = nullptr;
  double calls_s = 0;
  ChargedWaits all;
  for (const FunctionSummary& function : summary.functions) {
    if (group_by_name(function.group) != CallGroup::files) continue;
    calls_s += function.total_s;
    if (longest == nullptr || function.total_s > longest->total_s) longest = &function;
    const auto waits = charged.find(function.name);
    if (waits != charged.end()) all.add(waits->second.total_s, waits->second.rank);
  }
  const double waits_s = all.total_s;
  const std::int32_t causer = all.rank;
  if (longest == nullptr || !(calls_s + waits_s >= kMuchTime * load.time_s)) return;
  const FileSummary* file = nullptr;
  for (const FileSummary& each : summary.files)
    if (each.is_posix() && (file == nullptr || time_of(each) > time_of(*file))) file = &each;
  ProblemSummary& problem = problems.emplace_back();
  problem.problem = problem_name(ProblemKind::input_and_output);
  problem.cost_s = calls_s + waits_s;
  problem.function = longest->name;
  problem.place = longest_place(summary, longest->name);
  problem.causer = causer;
  const bool is_of_one = file != nullptr && file->ranks == 1;
  const std::string who =
      is_of_one ? (causer >= 0 ? fmt::format("Rank {} takes", causer) : "One rank takes") : "Ranks take";
  problem.text = fmt::format("{} {} for files", who, human_duration(calls_s));
  if (file != nullptr)
    problem.text += fmt::format(", {} of it for {}: {}", human_duration(time_of(*file)), file->name, describe(*file));
  const bool is_of_many = file != nullptr && time_of(*file) < kOneFile * calls_s;
  if (is_of_many) problem.text += "; most is for other files";
  problem.text += fmt::format(". {}{} takes longest, {}.", longest->name, in_brackets(problem.place),
                              human_duration(longest->total_s));
  if (waits_s > 0)
    problem.text += fmt::format(" Therefore other ranks wait {} for rank {}.", human_duration(waits_s), causer);
  if (file != nullptr) problem.remedy = is_of_many ? remedy_for_many(summary, *file) : remedy_for(*file, *longest);
}

}  // namespace meridian
