// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "cli/summary_source.hpp"
#include "cli/support/json_text.hpp"
#include "merged/merged_trace.hpp"
#include "summary/units.hpp"
#include "trace/definitions/worlds.hpp"
#include "trace/format/rank/rank_container.hpp"
#include "trace/format/rank/rank_end.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

/// Collects a description: lines of text beside members of a JSON object.
class Describer {
 public:
  Describer(const std::string& kind, const fs::path& path)
      : text_{fmt::format("{} '{}'\n", kind, printable(path.string()))},
        json_{{"schema", "meridian-info"}, {"version", 1}, {"kind", kind}, {"path", path.string()}} {}

  /// A line of text, and a member.
  void add(const char* label, const std::string& text, const char* name, const Json& value) {
    text_ += fmt::format("  {:<12}{}\n", label, text);
    json_[name] = value;
  }
  void add(const char* label, const char* name, const std::string& value) {
    add(label, shortened_path(printable(value), text_width() - 14), name, value);
  }
  void add_text(const std::string& text) { text_ += text; }
  void add_member(const char* name, const Json& value) { json_[name] = value; }

  Description take() const { return {text_, json_text(json_)}; }

 private:
  std::string text_;
  Json json_;
};

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

Description describe_rank(const fs::path& path, const RankMeta& meta) {
  std::uint64_t events = 0;
  for (const SegmentRow& segment : meta.segments) events += segment.events;
  const std::uint64_t lost = std::accumulate(meta.losses.begin(), meta.losses.end(), std::uint64_t{0});
  Describer rank{"rank file", path};
  rank.add("schema", fmt::format("{}", meta.version), "rank_schema", meta.version);
  rank.add("rank", fmt::format("{} of {}", meta.rank, meta.size), "rank", meta.rank);
  rank.add_member("ranks", meta.size);
  rank.add("program", "program", meta.executable);
  rank.add("host", "host", meta.hostname);
  rank.add("clock", clock_name(meta.clock), "clock", clock_name(meta.clock));
  rank.add("threads", human_count(meta.threads.size()), "threads", meta.threads.size());
  rank.add("events",
           lost == 0 ? human_count(events) : fmt::format("{}, {} lost", human_count(events), human_count(lost)),
           "events", events);
  rank.add_member("lost", lost);
  rank.add("size", human_bytes(size_of(path)), "size_bytes", size_of(path));
  const std::string end = describe_end(rank_end_of(meta).how);
  rank.add("finished",
           meta.is_finalized ? "yes" : "no: MPI_Finalize was not reached" + (end.empty() ? "" : ", " + printable(end)),
           "finished", meta.is_finalized);
  return rank.take();
}

Result<Description> describe_container(const fs::path& path) {
  MERIDIAN_TRY(const RankContainer opened, RankContainer::open(path));
  std::vector<std::int32_t> numbers;
  for (const std::string& group : opened.groups())
    if (const std::int32_t rank = rank_in_name(group); rank >= 0) numbers.push_back(rank);
  std::ranges::sort(numbers);
  Describer container{"container of ranks", path};
  container.add("host", "host", opened.hostname());
  container.add("ranks", fmt::format("{}: {}", human_count(numbers.size()), rank_ranges(numbers)), "ranks", numbers);
  for (const std::string& group : opened.groups())
    if (const auto rank = opened.rank(group)) {
      container.add("program", "program", rank->meta().executable);
      container.add("run", fmt::format("of {} ranks", rank->meta().size), "run_ranks", rank->meta().size);
      break;
    }
  container.add("size", human_bytes(size_of(path)), "size_bytes", size_of(path));
  return container.take();
}

Result<Description> describe_merged(const fs::path& path) {
  MERIDIAN_TRY(const Summary summary, MergedTrace::read_summary(path));
  Describer merged{"merged trace", path};
  merged.add("size", human_bytes(size_of(path)), "size_bytes", size_of(path));
  merged.add_text(fmt::format("\n{}", run_section(summary, Paint{false})));
  const RunSummary& run = summary.run;
  merged.add_member("program", run.executable);
  merged.add_member("mpi_library", run.mpi_library);
  merged.add_member("ranks", run.ranks_expected);
  merged.add_member("ranks_present", run.ranks_present);
  merged.add_member("threads", run.all_threads);
  merged.add_member("hosts", run.hosts);
  merged.add_member("begin", begin_text(summary));
  merged.add_member("time_s", run.time_s);
  merged.add_member("calls", run.calls);
  merged.add_member("findings", summary.findings.size());
  return merged.take();
}

/// A ring file of a process that is running, or that was killed.
bool is_ring(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::uint64_t magic = 0;
  file.read(reinterpret_cast<char*>(&magic), sizeof magic);
  return file.gcount() == sizeof magic && magic == kRingMagic;
}

Result<Description> describe_file(const fs::path& path) {
  if (is_ring(path)) {
    Describer ring{"ring", path};
    ring.add_text("  of a process that is running or was killed\nhint: `meridian merge` reads it with its directory\n");
    return ring.take();
  }
  auto container = describe_container(path);
  if (container || container.error().code == Errc::unsupported || is_container_name(path)) return container;
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

Result<Description> describe_directory(const fs::path& path) {
  std::uint64_t rank_files = 0;
  std::uint64_t packed = 0;
  std::uint64_t packed_bytes = 0;
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
  const std::vector<fs::path> containers = containers_in(path);
  if (rank_files + containers.size() + notes + spools == 0 && !is_merged)
    return Error{Errc::not_found, fmt::format("'{}' holds no trace", path.string()),
                 "name a directory made by `meridian run`"};
  Result<RankFile> any = Error{Errc::not_found, "there is no rank file", ""};
  if (!first.empty()) any = RankFile::open(first);
  for (const fs::path& name : containers) {
    packed_bytes += size_of(name);
    const auto container = RankContainer::open(name);
    if (!container) continue;
    packed += container->groups().size();
    if (!any && !container->groups().empty()) any = container->rank(container->groups().front());
  }
  Describer directory{"trace directory", path};
  if (!containers.empty())
    directory.add("containers",
                  fmt::format("{}, with {} ranks, {}", human_count(containers.size()), human_count(packed),
                              human_bytes(packed_bytes)),
                  "containers", containers.size());
  directory.add_member("packed_ranks", packed);
  if (rank_files != 0 || containers.empty())
    directory.add("rank files", fmt::format("{}, {}", human_count(rank_files), human_bytes(bytes)), "rank_files",
                  rank_files);
  else
    directory.add_member("rank_files", rank_files);
  directory.add_member("size_bytes", bytes + packed_bytes);
  if (any) {
    directory.add("program", "program", any->meta().executable);
    directory.add("ranks", fmt::format("{} in the run", any->meta().size), "ranks", any->meta().size);
  }
  directory.add_member("unfinished", notes);
  directory.add_member("spools", spools);
  if (notes > 0)
    directory.add_text(fmt::format("  {:<12}{} ranks have no rank file yet\n", "unfinished", human_count(notes)));
  if (spools > 0) directory.add_text(fmt::format("  {:<12}{}\n", "spools", human_count(spools)));
  directory.add("merged", is_merged ? "yes" : "no: meridian merge " + printable(path.string()), "merged", is_merged);
  return directory.take();
}

}  // namespace

Result<Description> describe_path(const fs::path& path) {
  std::error_code problem;
  switch (fs::status(path, problem).type()) {
    case fs::file_type::directory:
      return describe_directory(path);
    case fs::file_type::regular:
      return describe_file(path);
    case fs::file_type::none:
      return unreadable_trace(path, problem);
    case fs::file_type::not_found:
      return Error{Errc::not_found, fmt::format("there is no '{}'", path.string()), "check the name and the directory"};
    default:
      return Error{Errc::invalid_argument, fmt::format("'{}' is neither a file nor a directory", path.string()), ""};
  }
}

}  // namespace meridian
