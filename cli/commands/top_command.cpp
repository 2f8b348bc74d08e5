// SPDX-License-Identifier: Apache-2.0
// meridian top: a refreshed view of the ranks of a running program.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/summary_source.hpp"
#include "cli/top/top_text.hpp"
#include "cli/where/thread_functions.hpp"
#include "live/look.hpp"
#include "live/rings.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostTopRows = 1000;
constexpr int kLinesBesides = 4;

struct TopArguments {
  std::string directory = kLatest;
  double interval_s = 1;
  std::uint64_t looks = 0;
  bool is_json = false;
};

std::size_t rows_on_screen() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kMostTopRows;
  return static_cast<std::size_t>(std::max(1, size.ws_row - kLinesBesides));
}

/// The functions of the program in which running ranks compute, as far as the kernel shows them.
class ComputingRanks {
 public:
  explicit ComputingRanks(const std::string& directory) {
    std::vector<std::string> unused;
    auto looked = look_at_ranks(directory, unused);
    if (!looked) return;
    ranks_ = std::move(looked->ranks);
    std::size_t watched = 0;
    for (const RankNow& rank : ranks_) {
      const auto caller = std::ranges::find_if(rank.threads, &ThreadNow::has_called_mpi);
      if (!rank.is_alive || rank.ring.empty() || caller == rank.threads.end() || ++watched > kMostComputing) continue;
      functions_.watch(rank, caller->kernel_tid);
      thread_of_[rank.ring] = caller->kernel_tid;
    }
  }
  void look() { found_ = functions_.find(); }
  void add_to(RankActivity& rank, const std::string& ring) const {
    const auto thread = thread_of_.find(ring);
    const auto function = thread == thread_of_.end() ? found_.end() : found_.find(thread->second);
    if (function == found_.end()) return;
    rank.function = function->second.place;
    rank.function_share = function->second.share;
  }

 private:
  static constexpr std::uint64_t kPeriodNs = 10'000'000;
  static constexpr std::size_t kMostComputing = 64;  // each process has some megabytes of unwind tables
  std::vector<RankNow> ranks_;
  ThreadFunctions functions_{kPeriodNs, ThreadFunctions::Calls::some};
  std::map<std::string, std::int32_t> thread_of_;  // by ring
  std::map<std::int32_t, ThreadFunctions::Found> found_;
};

int top(const TopArguments& arguments) {
  const FoundRings found = find_rings(arguments.directory);
  std::vector<ActivityReader> readers;
  std::vector<std::string> rings;  // of readers
  for (const FoundRing& each : found.rings) {
    auto ring = open_ring(each, RingFile::Access::read_only);
    if (!ring || !ring->is_process_alive()) continue;
    readers.emplace_back(*std::move(ring), each.world == "." ? "" : each.world.string());
    rings.push_back(each.note.ring.string());
  }
  if (readers.empty()) return fail(nothing_runs(arguments.directory, found));
  ComputingRanks computing{arguments.directory};
  for (ActivityReader& reader : readers) reader.look();
  const bool is_screen = is_terminal(STDOUT_FILENO) && !arguments.is_json;
  // A pipe or a file gets one sample, but programs may read JSON samples from a pipe until the end.
  const std::uint64_t looks = arguments.looks != 0 ? arguments.looks : is_screen || arguments.is_json ? 0 : 1;
  for (std::uint64_t look = 1;; ++look) {
    std::this_thread::sleep_for(std::chrono::duration<double>{arguments.interval_s});
    std::vector<RankActivity> ranks;
    ranks.reserve(readers.size());
    computing.look();
    for (std::size_t i = 0; i < readers.size(); ++i) {
      ranks.push_back(readers[i].look());
      computing.add_to(ranks.back(), rings[i]);
    }
    std::ranges::stable_sort(ranks, {}, [](const RankActivity& rank) { return std::tie(rank.world, rank.rank); });
    std::string text = arguments.is_json
                           ? top_json(ranks, found.elsewhere)
                           : top_text(ranks, is_screen ? rows_on_screen() : kMostTopRows, found.elsewhere);
    if (is_screen) text.insert(0, "\033[H\033[J");
    if (!print(text)) return kExitCouldNotRun;
    std::fflush(stdout);
    if (look == looks || std::ranges::none_of(ranks, &RankActivity::is_alive)) return kExitFine;
  }
}

}  // namespace

Command top_command() {
  const auto arguments = std::make_shared<TopArguments>();
  return {"top",
          "Show calls, share of MPI, bytes and current call of each rank while the program runs",
          {{"directory", "DIR", "Output directory of the program (default: latest)", &arguments->directory},
           {"--interval", "SECONDS", "Seconds between two samples. Default: 1", &arguments->interval_s,
            AllowedRange{0.05, 3600}},
           {"--count", "N", "Number of samples. Default: until the program ends; without a terminal 1, unless --json",
            &arguments->looks, Positive{}},
           {"--json", "", "Print one JSON object per sample, one per line", &arguments->is_json}},
          [arguments] { return top(*arguments); }};
}

}  // namespace meridian
