// SPDX-License-Identifier: Apache-2.0
#include "merger/memory/growth_place.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "merger/load/thread_cursor.hpp"
#include "merger/model/findings.hpp"

namespace meridian {
namespace {

constexpr std::size_t kPlaceSlices = 6;
constexpr std::uint64_t kLeastIterations = 8;
constexpr double kMostOfIt = 0.9;
constexpr double kEven = 0.25;                            // of the mean number in a slice
constexpr std::int64_t kBetweenReadingsNs = 100'000'000;  // of the writer, at most while threads are sampled

/// How often something begins in the slices of the time.
struct Repeats {
  std::uint64_t count = 0;
  std::array<std::uint64_t, kPlaceSlices> slices{};

  bool are_iterations() const noexcept {
    return count >= kLeastIterations && std::ranges::all_of(slices, [this](std::uint64_t slice) {
             return static_cast<double>(slice) >= kEven * static_cast<double>(count) / kPlaceSlices;
           });
  }
};

struct RegionGrowth {
  Repeats repeats;
  double bytes = 0;
  std::int64_t time_ns = 0;
  std::size_t depth = 0;  // instances that are open
  double mean_ns() const noexcept { return static_cast<double>(time_ns) / static_cast<double>(repeats.count); }
};

class PlaceFinder {
 public:
  PlaceFinder(const Trace& trace, std::size_t file, const MemoryCurve& curve, const MemoryGrowth& growth)
      : trace_{trace}, file_{file}, curve_{curve}, growth_{growth} {}

  GrowthPlace find() {
    walk();
    while (!open_.empty()) end_innermost(growth_.end_ns);
    GrowthPlace place;
    const double least = kMostOfIt * static_cast<double>(growth_.bytes);
    const double resolved_ns = static_cast<double>(2 * std::max(curve_.step_ns(), kBetweenReadingsNs));
    double longest_ns = 0, shortest_ns = 0;
    for (const auto& [definition, region] : regions_) {
      if (region.repeats.count == 0 || region.bytes < least) continue;
      const double mean_ns = region.mean_ns();
      if (region.repeats.are_iterations() && mean_ns > longest_ns) {
        longest_ns = mean_ns;
        place.iteration = definition->name;
        place.iterations = region.repeats.count;
      }
      if (mean_ns >= resolved_ns && (place.region.empty() || mean_ns < shortest_ns)) {
        shortest_ns = mean_ns;
        place.region = definition->name;
      }
    }
    if (place.iterations == 0) take_calls(place);
    if (place.region.empty() && longest_ns > 0) place.region = place.iteration;
    return place;
  }

 private:
  void walk() {
    RankFile& rank = *trace_.files[file_];
    if (rank.meta().segments.empty()) return;
    Findings known;
    const std::uint32_t thread = rank.meta().segments.front().thread;
    const auto& clock = trace_.clocks.maps[file_];
    for (ThreadCursor at{rank, thread, segments_by_thread(rank.meta())[thread], known}; !at.is_over(); at.advance()) {
      const Call& call = at.call();
      const std::int64_t ns = clock.to_global(call.enter_ticks);
      if (call.payload == Payload::user && call.has(kFlagBegins))
        begin_region(trace_.user.find(file_, call.user->definition), ns);
      else if (call.payload == Payload::user && call.has(kFlagEnds))
        end_region(trace_.user.find(file_, call.user->definition), ns);
      else if (call.payload != Payload::user && call.call != CallId::none)
        count(calls_[static_cast<std::size_t>(call.call)], ns);
    }
  }

  void count(Repeats& repeats, std::int64_t ns) const {
    if (ns < growth_.begin_ns || ns >= growth_.end_ns) return;
    ++repeats.count;
    const double part =
        static_cast<double>(ns - growth_.begin_ns) / static_cast<double>(growth_.end_ns - growth_.begin_ns);
    ++repeats.slices[std::min(static_cast<std::size_t>(part * kPlaceSlices), kPlaceSlices - 1)];
  }

  void begin_region(const UserDefinition* definition, std::int64_t ns) {
    if (definition == nullptr || definition->kind != UserKind::region) return;
    RegionGrowth& region = regions_[definition];
    if (region.depth++ == 0) count(region.repeats, ns);
    open_.emplace_back(&region, ns);
  }

  /// Regions inside it that are still open were left by a jump. One that never began is passed over.
  void end_region(const UserDefinition* definition, std::int64_t ns) {
    const auto known = regions_.find(definition);
    if (known == regions_.end() || known->second.depth == 0) return;
    while (open_.back().first != &known->second) end_innermost(ns);
    end_innermost(ns);
  }

  void end_innermost(std::int64_t ns) {
    const auto [region, begin_ns] = open_.back();
    open_.pop_back();
    if (--region->depth != 0) return;  // it is part of the outer one
    const std::int64_t from_ns = std::clamp(begin_ns, growth_.begin_ns, growth_.end_ns);
    const std::int64_t to_ns = std::clamp(ns, from_ns, growth_.end_ns);
    region->bytes += curve_.at(to_ns) - curve_.at(from_ns);
    region->time_ns += to_ns - from_ns;
  }

  void take_calls(GrowthPlace& place) const {
    for (const auto& [call, repeats] : calls_) {
      const std::string& name = trace_.calls[call].name;
      if (!name.starts_with("MPI_") || !repeats.are_iterations()) continue;
      if (place.iterations != 0 && repeats.count >= place.iterations) continue;
      place.iteration = name;
      place.iterations = repeats.count;
    }
  }

  const Trace& trace_;
  std::size_t file_;
  const MemoryCurve& curve_;
  const MemoryGrowth& growth_;
  std::map<const UserDefinition*, RegionGrowth> regions_;
  std::vector<std::pair<RegionGrowth*, std::int64_t>> open_;  // with the time of the begin
  std::map<std::size_t, Repeats> calls_;
};

}  // namespace

GrowthPlace find_growth_place(const Trace& trace, std::size_t file, const MemoryCurve& curve,
                              const MemoryGrowth& growth) {
  return PlaceFinder{trace, file, curve, growth}.find();
}

}  // namespace meridian
