// SPDX-License-Identifier: Apache-2.0
#include "cli/where/thread_functions.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "merged/sample_functions.hpp"
#include "merger/sites/resolve_sites.hpp"
#include "writer/samples/copied_stack.hpp"
#include "writer/samples/loaded_files.hpp"
#include "writer/samples/sleeping_thread.hpp"
#include "writer/samples/thread_event.hpp"

namespace meridian {
namespace {

constexpr std::chrono::milliseconds kWatchedFor{100};
constexpr std::uint64_t kPeriodNs = 2'000'000;
constexpr std::size_t kMostThreads = 256;  ///< each has a buffer of the kernel
constexpr std::size_t kMostFrames = 64;
constexpr std::size_t kFramesOfABegin = 3;  ///< outermost ones of a thread: the tracer's, then the C library's

/// The names of one stack, as in a merged file: its innermost frame is the last path.
class StackNames {
 public:
  StackNames() {
    names_.modules.resize(1);  // row 0 is none
    names_.places.resize(1);
    names_.paths.resize(kPathsWithoutPlace);
  }
  void add(const Site& site, const SiteTable& table, const SourcePlace& place) {
    const std::string path = site.module == kNoModule ? std::string{} : table.modules()[site.module].path;
    const auto known = std::ranges::find(names_.modules, path, &SampleModule::path);
    const auto module = static_cast<std::uint32_t>(known - names_.modules.begin());
    if (known == names_.modules.end()) names_.modules.push_back({path});
    names_.places.push_back({module, site.offset, place.function, place.outer, place.file, place.line});
    const auto parent =
        names_.paths.size() == kPathsWithoutPlace ? 0 : static_cast<std::uint32_t>(names_.paths.size() - 1);
    names_.paths.push_back({parent, static_cast<std::uint32_t>(names_.places.size() - 1)});
  }
  /// Empty if no frame is of the program.
  CallPlace place() const {
    const SampleFunctions functions{names_};
    const SampleFunctions::Line line = functions.line_of(static_cast<std::uint32_t>(names_.paths.size() - 1));
    if (line.function == SampleFunctions::kNone) return {};
    const SampleFunctions::Function& function = functions.functions()[line.function];
    CallPlace place;
    place.function = function.name;
    place.file = function.file;
    place.line = line.line;
    const auto frame = std::ranges::find_if(names_.places.rbegin(), names_.places.rend(), [&](const SamplePlace& each) {
      return each.line == line.line && names_.modules[each.module].path.ends_with(function.module);
    });
    if (frame == names_.places.rend()) return {};
    place.module = names_.modules[frame->module].path;
    place.offset = frame->offset;
    return place;
  }

 private:
  SampleNames names_;
};

using FrameKey = std::pair<std::string, std::uint64_t>;
FrameKey key_of(std::uint32_t site, const SiteTable& table) {
  const auto [module, offset] = table.sites()[site];
  return {table.modules()[module].path, offset};
}

/// The frames of a stack, innermost first; empty if one of them is of the MPI library or the tracer, which begins threads, too.
std::vector<std::uint32_t> frames_of(const std::vector<std::uint64_t>& stack, RankSites& sites, const PathTable& paths,
                                     const SiteTable& table) {
  std::vector<std::uint32_t> frames;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (stack[i] == kStackDeeper || stack[i] == kStackLost || frames.size() == kMostFrames) break;
    frames.push_back(paths.paths()[sites.path(stack[i], 0)].site);
    const Module& module = table.modules()[table.sites()[frames.back()].module];
    const bool begins_thread = module.is_tracer && i > 0 && stack.size() - i <= kFramesOfABegin;
    if (module.is_mpi || (module.is_tracer && !begins_thread)) return {};
  }
  return frames;
}

/// Samples by function and line.
class FunctionCounts {
 public:
  void add(const CallPlace& place, std::uint32_t samples) {
    all_ += samples;
    if (place.function.empty()) return;
    Function& function = functions_[{place.function, place.module}];
    function.samples += samples;
    Line& line = function.lines[place.line];
    line.samples += samples;
    line.place = place;
  }
  ThreadFunctions::Found largest() const {
    const auto count = [](const auto& row) { return row.second.samples; };
    const auto function = std::ranges::max_element(functions_, {}, count);
    if (function == functions_.end()) return {};
    const auto line = std::ranges::max_element(function->second.lines, {}, count);
    return {line->second.place, static_cast<double>(function->second.samples) / static_cast<double>(all_)};
  }

 private:
  struct Line {
    std::uint32_t samples = 0;
    CallPlace place{};
  };
  struct Function {
    std::uint32_t samples = 0;
    std::map<std::uint32_t, Line> lines{};
  };
  std::map<std::pair<std::string, std::string>, Function> functions_;  // by name and module
  std::uint32_t all_ = 0;
};

}  // namespace

void ThreadFunctions::watch(const RankNow& rank, std::int32_t kernel_tid) {
  if (kernel_tid <= 0 || watched_.size() == kMostThreads) return;
  auto event = ThreadEvent::open(kernel_tid, period_ns_, CLOCK_MONOTONIC, &ThreadEvent::open_event);
  if (!event) return;
  Watched& watched = watched_.emplace(kernel_tid, Watched{&rank.meta, *std::move(event)}).first->second;
  const auto ring = RingFile::open(rank.ring, RingFile::Access::read_only);
  if (!ring || ring->header().has_python.load(std::memory_order_acquire) == 0) return;
  const PythonPlace& place = ring->header().python;
  if (place.kernel_tid != kernel_tid) return;
  watched.python = std::make_unique<PythonWatch>(rank.meta.pid, place, CLOCK_MONOTONIC);
  watched.python->watch(watched.event->descriptor());
}

LoadedFiles& ThreadFunctions::files_of(const RankMeta& meta) {
  LoadedFiles& loaded = files_.try_emplace(meta.pid, meta.pid).first->second;
  loaded.refresh();
  return loaded;
}

void ThreadFunctions::look_at_sleeper(const RankNow& rank, std::int32_t kernel_tid) {
  if (kernel_tid <= 0) return;
  ProcessMemory memory{rank.meta.pid};
  const auto sleeper = look_at_sleeping_thread(rank.meta.pid, kernel_tid, memory);
  if (!sleeper) return;
  Stack stack;
  unwind(sleeper->copied(), files_of(rank.meta), stack);
  watched_.emplace(kernel_tid, Watched{&rank.meta, std::nullopt, {{std::move(stack), 1}}});
}

void ThreadFunctions::take() {
  Stack stack;
  for (auto& entry : watched_) {
    Watched& one = entry.second;
    if (!one.event) continue;
    LoadedFiles& loaded = files_of(*one.meta);
    one.stacks.clear();
    if (one.python) {
      one.python->take();
      for (PythonReader::Line& line : one.python->take_lines()) one.lines.push_back(std::move(line));
    }
    one.event->drain([&](std::uint64_t time_ns, const CopiedStack& copied) {
      unwind(copied, loaded, stack);
      if (one.python) put_python_lines(one.python->at(time_ns), loaded, one.python->interpreter(), stack);
      const bool is_whole = std::ranges::find(stack, kStackLost) == stack.end();
      if (!stack.empty() && (is_whole || calls_ == Calls::none)) ++one.stacks[stack];
    });
  }
}

std::map<std::int32_t, ThreadFunctions::Found> ThreadFunctions::find() {
  take();
  struct Row {
    std::int32_t tid;
    std::uint32_t samples;
    std::vector<std::uint32_t> frames;  // sites of `table`, innermost first
  };
  SiteTable table, unknown;
  PathTable paths;
  const std::vector<StackRow> no_stacks;  // those of recorded calls are not needed
  std::map<const RankMeta*, RankSites> sites_of;
  std::vector<Row> rows;
  std::map<FrameKey, std::uint32_t> asked;  // sites of `unknown`
  for (const auto& [tid, one] : watched_) {
    RankSites& sites = sites_of.try_emplace(one.meta, *one.meta, table, paths, no_stacks).first->second;
    for (const PythonReader::Line& line : one.lines) sites.add_line(line.site, line.text);
    for (const auto& [stack, samples] : one.stacks) {
      Row row{tid, samples, frames_of(stack, sites, paths, table)};
      for (const std::uint32_t site : row.frames)
        if (FrameKey key = key_of(site, table); !known_.contains(key) && !asked.contains(key))
          asked.emplace(std::move(key), unknown.site(table, site));
      if (!row.frames.empty()) rows.push_back(std::move(row));
    }
  }
  Findings unused;  // unresolved sites have no names
  const std::vector<SourcePlace> places = resolve_sites(unknown, unused);
  for (const auto& [key, site] : asked) known_[key] = site < places.size() ? places[site] : SourcePlace{};
  std::map<std::int32_t, FunctionCounts> counts;
  for (const Row& row : rows) {
    StackNames names;
    for (auto site = row.frames.rbegin(); site != row.frames.rend(); ++site)
      names.add(table.sites()[*site], table, known_.at(key_of(*site, table)));
    counts[row.tid].add(names.place(), row.samples);
  }
  std::map<std::int32_t, Found> found;
  for (const auto& [tid, count] : counts)
    if (Found largest = count.largest(); largest.share > 0) found.emplace(tid, std::move(largest));
  return found;
}

void find_thread_functions(std::vector<RankNow>& ranks) {
  ThreadFunctions functions{kPeriodNs, ThreadFunctions::Calls::none};
  const auto is_outside = [](const RankNow& rank, const ThreadNow& thread) {
    return rank.is_alive && !rank.ring.empty() && thread.is_alive && thread.call == CallId::none;
  };
  for (const RankNow& rank : ranks)
    for (const ThreadNow& thread : rank.threads)
      if (is_outside(rank, thread) && !thread.is_asleep) functions.watch(rank, thread.kernel_tid);
  if (functions.watches_any()) std::this_thread::sleep_for(kWatchedFor);
  for (const RankNow& rank : ranks)
    for (const ThreadNow& thread : rank.threads)
      if (is_outside(rank, thread) && thread.is_asleep) functions.look_at_sleeper(rank, thread.kernel_tid);
  const auto found = functions.find();
  for (RankNow& rank : ranks)
    for (ThreadNow& thread : rank.threads)
      if (const auto function = found.find(thread.kernel_tid); function != found.end() && is_outside(rank, thread))
        thread.place = function->second.place;
}

}  // namespace meridian
