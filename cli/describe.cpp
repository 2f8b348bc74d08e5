// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <numeric>

#include "cli/summary/printable.hpp"
#include "cli/summary/text.hpp"
#include "cli/summary_source.hpp"
#include "merged/merged_trace.hpp"
#include "summary/units.hpp"
#include "trace/format/rank_file.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

std::string line(const char* label, const std::string& value) { return fmt::format("  {:<12}{}\n", label, value); }

std::uint64_t size_of(const fs::path& path) {
  std::error_code problem;
  const std::uintmax_t bytes = fs::file_size(path, problem);
  return problem ? 0 : bytes;
}

const char* clock_name(ClockKind clock) {
  switch (clock) {
    case ClockKind::tsc:
      return "TSC";
    case ClockKind::monotonic_raw:
      return "CLOCK_MONOTONIC_RAW";
    case ClockKind::monotonic:
      return "CLOCK_MONOTONIC";
    case ClockKind::warped:
      return "warped (a test's)";
  }
  return "unknown";
}

std::string describe_rank(const fs::path& path, const RankMeta& meta) {
  std::uint64_t events = 0;
  for (const SegmentRow& segment : meta.segments) events += segment.events;
  const std::uint64_t lost = std::accumulate(meta.losses.begin(), meta.losses.end(), std::uint64_t{0});
  std::string text = fmt::format("rank file '{}'\n", printable(path.string()));
  text += line("schema", fmt::format("{}", meta.version));
  text += line("rank", fmt::format("{} of {}", meta.rank, meta.size));
  text += line("program", shortened(printable(meta.executable), 60));
  text += line("host", shortened(printable(meta.hostname), 60));
  text += line("clock", clock_name(meta.clock));
  text += line("threads", human_count(meta.threads.size()));
  text += line("events",
               lost == 0 ? human_count(events) : fmt::format("{}, {} lost", human_count(events), human_count(lost)));
  text += line("size", human_bytes(size_of(path)));
  return text + line("finished", meta.is_finalized ? "yes" : "no: MPI_Finalize was not reached");
}

Result<std::string> describe_merged(const fs::path& path) {
  MERIDIAN_TRY(const Summary summary, MergedTrace::read_summary(path));
  return fmt::format("merged trace '{}', {}\n\n", printable(path.string()), human_bytes(size_of(path))) +
         run_section(summary, Paint{false});
}

/// A ring file of a process that is running, or that was killed.
bool is_ring(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::uint64_t magic = 0;
  file.read(reinterpret_cast<char*>(&magic), sizeof magic);
  return file.gcount() == sizeof magic && magic == kRingMagic;
}

Result<std::string> describe_file(const fs::path& path) {
  if (is_ring(path))
    return fmt::format(
        "ring '{}' of a process that is running or was killed\nhint: `meridian merge` reads it with its directory\n",
        printable(path.string()));
  auto merged = describe_merged(path);
  if (merged || merged.error().code == Errc::unsupported) return merged;
  const auto rank = RankFile::open(path);
  if (rank) return describe_rank(path, rank->meta());
  if (rank.error().code == Errc::unsupported) return rank.error();
  if (path.filename() == kMergedName) return merged.error();
  if (path.filename().string().starts_with("rank-")) return rank.error();
  return Error{Errc::invalid_argument, fmt::format("'{}' is neither a rank file nor a merged file", path.string()),
               "name a file or directory made by Meridian"};
}

Result<std::string> describe_directory(const fs::path& path) {
  std::uint64_t rank_files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t notes = 0;
  std::uint64_t spools = 0;
  fs::path first;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, problem)) {
    const fs::path name = entry.path().filename();
    if (!name.string().starts_with("rank-")) continue;
    if (name.extension() == ".h5") {
      ++rank_files;
      bytes += size_of(entry.path());
      if (first.empty() || entry.path() < first) first = entry.path();
    }
    std::error_code ignored;
    const bool is_finished = fs::exists(path / name.stem().concat(".h5"), ignored);
    if (name.extension() == ".ring" && !is_finished) ++notes;
    if (name.extension() == ".spool") ++spools;
  }
  if (problem) return Error{Errc::io, fmt::format("cannot read '{}': {}", path.string(), problem.message()), ""};
  const bool is_merged = fs::exists(path / kMergedName, problem);
  if (rank_files + notes + spools == 0 && !is_merged)
    return Error{Errc::not_found, fmt::format("'{}' holds no trace", path.string()),
                 "name a directory made by `meridian run`"};
  std::string text = fmt::format("trace directory '{}'\n", printable(path.string()));
  text += line("rank files", fmt::format("{}, {}", human_count(rank_files), human_bytes(bytes)));
  if (!first.empty())
    if (const auto rank = RankFile::open(first)) {
      text += line("program", shortened(printable(rank->meta().executable), 60));
      text += line("ranks", fmt::format("{} in the run", rank->meta().size));
    }
  if (notes > 0) text += line("unfinished", human_count(notes) + " ranks have no rank file yet");
  if (spools > 0) text += line("spools", human_count(spools));
  return text + line("merged", is_merged ? "yes" : "no: meridian merge " + printable(path.string()));
}

}  // namespace

Result<std::string> describe_path(const fs::path& path) {
  std::error_code problem;
  switch (fs::status(path, problem).type()) {
    case fs::file_type::directory:
      return describe_directory(path);
    case fs::file_type::regular:
      return describe_file(path);
    case fs::file_type::none:
    case fs::file_type::not_found:
      return Error{Errc::not_found, fmt::format("there is no '{}'", path.string()), "check the name and the directory"};
    default:
      return Error{Errc::invalid_argument, fmt::format("'{}' is neither a file nor a directory", path.string()), ""};
  }
}

}  // namespace meridian
