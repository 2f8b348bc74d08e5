// SPDX-License-Identifier: Apache-2.0
// The critical path of the run and the active path of each thread: docs/CRITICAL_PATH.md.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/paths/active_paths.hpp"
#include "analysis/paths/path_samples.hpp"
#include "analysis/paths/path_shares.hpp"
#include "analysis/paths/path_walk.hpp"
#include "analysis/walk/tiles.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "summary/summary.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostActiveRows = 1 << 16;

/// The waits of all threads, when the threads began and ended, and their active paths.
class WaitCollector {
 public:
  WaitCollector(const MergedTrace& trace, std::span<const LocationLife> lives)
      : lives_{lives.begin(), lives.end()},
        tiler_{trace.definitions(), lives, [](const Tile&) {}},
        active_{lives, [this](std::uint32_t location, std::uint32_t on, std::int64_t begin_ns,
                              std::int64_t end_ns) { add_active(location, on, end_ns - begin_ns); }},
        waits_{trace.path().parent_path(), lives.size()} {}

  Status look_at(const WalkedEvent& walked) {
    const std::uint32_t location = walked.event.location;
    const bool is_first = !tiler_.is_begun(location);
    tiler_.add(walked.event, walked.waits);
    if (tiler_.outer(location) != location) return {};
    if (is_first && lives_[location].begin_ns == kUnknownTime) active_.begin(location, walked.event.enter_ns);
    active_.advance(walked.event.enter_ns);
    for (WaitSpan wait : walked.waits) {
      wait.causer = tiler_.outer(wait.causer);
      if (wait.causer == location) continue;
      active_.wait(wait);
      MERIDIAN_TRY_DO(waits_.push(location, wait));
    }
    return {};
  }

  void finish() {
    tiler_.finish();
    std::int64_t end_ns = kUnknownTime;
    for (std::uint32_t i = 0; i < lives_.size(); ++i) {
      if (tiler_.is_begun(i) && tiler_.outer(i) != i) lives_[i] = {INT64_MAX, INT64_MAX, tiler_.outer(i)};
      if (!is_thread(i)) continue;
      lives_[i].begin_ns = tiler_.begin_ns(i);
      lives_[i].end_ns = tiler_.end_ns(i);
      end_ns = std::max(end_ns, lives_[i].end_ns);
    }
    active_.advance(end_ns);
    for (std::uint32_t i = 0; i < lives_.size(); ++i)
      if (is_thread(i)) active_.end(i, lives_[i].end_ns);
  }

  /// After finish().
  std::span<const LocationLife> lives() const { return lives_; }
  SpilledStacks<WaitSpan>& waits() { return waits_; }
  bool is_thread(std::uint32_t location) const {
    return tiler_.is_begun(location) && tiler_.outer(location) == location;
  }
  std::vector<ActivePathSummary> active_paths(const MergedDefinitions& definitions) const {
    const auto& locations = definitions.locations;
    std::vector<ActivePathSummary> rows;
    for (const auto& [at, ns] : active_ns_) {
      const auto location = static_cast<std::uint32_t>(at >> 32), on = static_cast<std::uint32_t>(at);
      ActivePathSummary& row = rows.emplace_back();
      row.rank = locations[location].rank;
      row.thread = locations[location].thread;
      row.on_rank = on == kNoLocation ? -1 : locations[on].rank;
      row.on_thread = on == kNoLocation ? 0 : locations[on].thread;
      row.total_s = seconds(ns);
      const std::int64_t life_ns = lives_[location].end_ns - lives_[location].begin_ns;
      row.share = static_cast<double>(ns) / static_cast<double>(life_ns);
    }
    std::ranges::sort(rows, [](const ActivePathSummary& a, const ActivePathSummary& b) {
      return std::tie(a.rank, a.thread, b.total_s, a.on_rank, a.on_thread) <
             std::tie(b.rank, b.thread, a.total_s, b.on_rank, b.on_thread);
    });
    return rows;
  }

 private:
  void add_active(std::uint32_t location, std::uint32_t on, std::int64_t ns) {
    on = tiler_.outer(on);
    std::uint64_t at = std::uint64_t{location} << 32 | on;
    if (on != location && active_ns_.size() >= kMostActiveRows && !active_ns_.contains(at))
      at = std::uint64_t{location} << 32 | kNoLocation;
    active_ns_[at] += ns;
  }

  std::vector<LocationLife> lives_;
  Tiler tiler_;
  ActivePaths active_;
  SpilledStacks<WaitSpan> waits_;
  std::unordered_map<std::uint64_t, std::int64_t> active_ns_;  // location, the one that its path is on
};

/// Collects the waits in the first walk; then follows the path, and adds up its parts in another walk.
class CriticalPathFinder final : public TraceVisitor {
 public:
  CriticalPathFinder(const MergedTrace& trace, std::vector<LocationLife> lives, PathSamples samples)
      : definitions_{trace.definitions()},
        samples_{std::move(samples)},
        lives_{std::move(lives)},
        collector_{std::in_place, trace, lives_},
        visits_{trace.path().parent_path(), 1, 1024} {}

  Status look_at(std::span<const WalkedEvent> events) override {
    if (collector_) {
      for (const WalkedEvent& walked : events) MERIDIAN_TRY_DO(collector_->look_at(walked));
      return {};
    }
    for (const WalkedEvent& walked : events) tiler_->add(walked.event, walked.waits);
    return status_;
  }
  Result<bool> wants_more() override;
  Status finish(Summary& summary) override;

 private:
  Result<const PathVisit*> next_visit();

  const MergedDefinitions& definitions_;
  PathSamples samples_;
  std::vector<LocationLife> lives_;
  std::optional<WaitCollector> collector_;  // in the first walk
  std::vector<ActivePathSummary> active_paths_;
  std::size_t threads_ = 0;
  SpilledStacks<PathVisit> visits_;
  PathVisit visit_;
  std::optional<PathShares> shares_;  // in the second one; none: there is no path
  std::optional<Tiler> tiler_;
  Status status_;
};

Result<const PathVisit*> CriticalPathFinder::next_visit() {
  MERIDIAN_TRY(const PathVisit* const top, visits_.top(0));
  if (top == nullptr) return nullptr;
  visit_ = *top;
  visits_.pop(0);
  return &visit_;
}

Result<bool> CriticalPathFinder::wants_more() {
  if (!collector_) return false;
  collector_->finish();
  std::optional<std::uint32_t> last;
  std::int64_t begin_ns = INT64_MAX;
  const std::span<const LocationLife> lives = collector_->lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (!collector_->is_thread(i)) continue;
    ++threads_;
    begin_ns = std::min(begin_ns, lives[i].begin_ns);
    if (!last || lives[i].end_ns > lives[*last].end_ns) last = i;
  }
  if (!last || lives[*last].end_ns <= begin_ns) return false;
  const std::int64_t end_ns = lives[*last].end_ns;
  active_paths_ = collector_->active_paths(definitions_);
  std::uint64_t count = 0;
  MERIDIAN_TRY_DO(walk_critical_path(collector_->waits(), lives, *last, begin_ns, end_ns, [&](const PathVisit& visit) {
    ++count;
    return visits_.push(0, visit);
  }));
  shares_.emplace(definitions_, samples_, begin_ns, end_ns, count, [this] { return next_visit(); });
  tiler_.emplace(definitions_, lives_, [this](const Tile& tile) {
    if (status_) status_ = shares_->add(tile);
  });
  collector_.reset();
  return true;
}

Status CriticalPathFinder::finish(Summary& summary) {
  summary.critical_path.clear();
  summary.critical_imbalance.clear();
  summary.critical_segments.clear();
  summary.critical_line.clear();
  summary.path_functions.clear();
  summary.active_paths = std::move(active_paths_);
  if (!shares_) return {};
  tiler_->finish();
  MERIDIAN_TRY_DO(std::move(status_));
  return shares_->finish(threads_, summary);
}

}  // namespace

Result<std::unique_ptr<TraceVisitor>> find_critical_path(const AnalysisInput& input) {
  MERIDIAN_TRY(std::vector<LocationLife> lives, location_lives(input.trace, input.summary));
  MERIDIAN_TRY(PathSamples samples, PathSamples::open(input.trace));
  return std::unique_ptr<TraceVisitor>{
      std::make_unique<CriticalPathFinder>(input.trace, std::move(lives), std::move(samples))};
}

}  // namespace meridian
