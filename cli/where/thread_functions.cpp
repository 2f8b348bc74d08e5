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
#include "writer/samples/thread_event.hpp"

namespace meridian {
namespace {

constexpr std::chrono::milliseconds kWatchedFor{100};
constexpr std::uint64_t kPeriodNs = 2'000'000;
constexpr std::size_t kMostThreads = 256;  ///< each has a buffer of the kernel
constexpr std::size_t kMostFrames = 64;

struct Watched {
  RankNow* rank;
  ThreadNow* thread;
  ThreadEvent event;
  std::vector<std::uint64_t> addresses{};  // of its last sample, innermost first
};

std::vector<Watched> watch(std::vector<RankNow>& ranks) {
  std::vector<Watched> watched;
  for (RankNow& rank : ranks) {
    if (!rank.is_alive || rank.ring.empty()) continue;
    for (ThreadNow& thread : rank.threads) {
      const bool computes =
          thread.is_alive && !thread.is_asleep && thread.call == CallId::none && thread.kernel_tid > 0;
      if (!computes || watched.size() == kMostThreads) continue;
      auto event = ThreadEvent::open(thread.kernel_tid, kPeriodNs, CLOCK_MONOTONIC, &ThreadEvent::open_event);
      if (event) watched.push_back({&rank, &thread, *std::move(event)});
    }
  }
  return watched;
}

void take_samples(std::vector<Watched>& watched) {
  std::map<std::int32_t, LoadedFiles> files;
  for (Watched& one : watched) {
    LoadedFiles& loaded = files.try_emplace(one.rank->meta.pid, one.rank->meta.pid).first->second;
    loaded.refresh();
    one.event.drain([&](std::uint64_t, const CopiedStack& copied) { unwind(copied, loaded, one.addresses); });
  }
}

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

}  // namespace

void find_thread_functions(std::vector<RankNow>& ranks) {
  std::vector<Watched> watched = watch(ranks);
  if (watched.empty()) return;
  std::this_thread::sleep_for(kWatchedFor);
  take_samples(watched);
  const std::vector<StackRow> no_stacks;  // those of recorded calls are not needed
  for (RankNow& rank : ranks) {
    SiteTable table;
    PathTable paths;
    std::vector<std::pair<Watched*, std::vector<std::uint32_t>>> stacks;  // sites, innermost first
    RankSites sites{rank.meta, table, paths, no_stacks};
    for (Watched& one : watched) {
      if (one.rank != &rank || one.addresses.empty()) continue;
      auto& [unused, frames] = stacks.emplace_back(&one, std::vector<std::uint32_t>{});
      for (const std::uint64_t address : one.addresses) {
        if (address == kStackDeeper || address == kStackLost || frames.size() == kMostFrames) break;
        frames.push_back(paths.paths()[sites.path(address, 0)].site);
      }
    }
    if (stacks.empty()) continue;
    Findings unused;  // unresolved sites have no names
    const std::vector<SourcePlace> places = resolve_sites(table, unused);
    for (const auto& [one, frames] : stacks) {
      StackNames names;
      for (auto site = frames.rbegin(); site != frames.rend(); ++site)
        if (*site < places.size()) names.add(table.sites()[*site], table, places[*site]);
      one->thread->place = names.place();
    }
  }
}

}  // namespace meridian
