// SPDX-License-Identifier: Apache-2.0
#include "report/page_timeline.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/encoding.hpp"
#include "report/exact_windows.hpp"
#include "report/page_events.hpp"
#include "report/page_rows.hpp"
#include "report/timeline_scan.hpp"
#include "trace/model/event.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kProfileBins = 32;
constexpr std::uint64_t kSlotsPerBudget = 64;  // slots of time that together have as many events as the page may have
constexpr std::size_t kMostSlots = std::size_t{1} << 20;
constexpr std::size_t kMostWaits = 500;
constexpr std::size_t kMostBoundKnots = 100;  // of a clock
constexpr std::size_t kMostClocks = 256;

class TimelineBuilder {
 public:
  TimelineBuilder(const MergedTrace& trace, const Summary& summary, const PageBudget& budget,
                  const PageProgress& progress)
      : trace_{trace}, names_{trace.definitions()}, summary_{summary}, budget_{budget}, progress_{progress} {}

  Result<Json> build() {
    MERIDIAN_TRY(lives_, location_lives_of());
    MERIDIAN_TRY_DO(find_span());
    MERIDIAN_TRY_DO(find_rows());
    const std::size_t bins = std::clamp<std::size_t>(
        std::bit_floor(budget_.cells / std::max<std::size_t>(1, rows_.size())), 64, budget_.bins);
    RowLevels levels{rows_.size(), bins, begin_ns_, end_ns_};
    const std::size_t slots = std::clamp<std::size_t>(
        trace_.events() / std::max<std::uint64_t>(1, budget_.events) * kSlotsPerBudget, 1, kMostSlots);
    TimelineScan scan{trace_, lives_, row_of_, levels, slots, budget_.regions};
    MERIDIAN_TRY_DO(scan.run([&](std::uint64_t row) { report(row); }));

    Json json{{"begin_ns", begin_ns_}, {"end_ns", end_ns_}, {"total_events", trace_.events()}};
    add_definitions(scan.places(), json);
    add_rows(levels, json);
    const std::vector<WaitInstance> waits = scan.waits();
    add_waits(scan, waits, json);
    add_regions(scan, json);
    const std::vector<ExactWindow> windows = windows_of(scan, waits);
    Json& list = json["windows"] = Json::array();
    for (const ExactWindow& window : windows) list.push_back({window.from_ns, window.to_ns});
    MERIDIAN_TRY(json["events"], page_events(trace_, windows, typical_rows(), rows_.size()));
    MERIDIAN_TRY_DO(add_bounds(json));
    return json;
  }

 private:
  Result<std::vector<LocationLife>> location_lives_of() const {
    if (trace_.events() == 0) return std::vector<LocationLife>(names_.locations.size());
    return location_lives(trace_, summary_);
  }

  Status find_span() {
    if (trace_.events() == 0) return {};
    MERIDIAN_TRY(const MergedEvent first, trace_.event(0));
    begin_ns_ = first.enter_ns;
    end_ns_ = begin_ns_ +
              std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(summary_.run.time_s / kSecondsPerNs)));
    return {};
  }

  /// Calls that a program makes in callbacks have no rows: they belong to the calls around them.
  bool has_row(std::uint32_t location) const {
    return names_.locations[location].kernel_tid != 0 || !has_kernel_threads_;
  }

  Status find_rows() {
    has_kernel_threads_ =
        std::ranges::any_of(names_.locations, [](const MergedLocation& each) { return each.kernel_tid != 0; });
    std::vector<ThreadProfile> threads;
    for (std::uint32_t i = 0; i < names_.locations.size(); ++i)
      if (has_row(i)) threads.push_back({i, {}});
    if (threads.size() > budget_.rows) MERIDIAN_TRY_DO(find_profiles(threads));
    rows_ = page_rows(names_, threads, budget_.rows);
    row_of_.assign(names_.locations.size(), kNoRow);
    for (std::uint32_t row = 0; row < rows_.size(); ++row)
      for (const std::uint32_t location : rows_[row].locations) row_of_[location] = row;
    return {};
  }

  Status find_profiles(std::vector<ThreadProfile>& threads) {
    steps_ = 2;
    RowLevels levels{threads.size(), kProfileBins, begin_ns_, end_ns_};
    std::vector<std::uint32_t> row_of(names_.locations.size(), kNoRow);
    for (std::uint32_t i = 0; i < threads.size(); ++i) row_of[threads[i].location] = i;
    TimelineScan scan{trace_, lives_, std::move(row_of), levels, 1, 1};
    MERIDIAN_TRY_DO(scan.run([&](std::uint64_t row) { report(row); }));
    ++step_;
    for (std::size_t i = 0; i < threads.size(); ++i)
      for (std::size_t s = 0; s < kStateClasses; ++s)
        for (std::size_t bin = 0; bin < kProfileBins; ++bin)
          threads[i].shares.push_back(levels.time_ns(i, s, bin) / static_cast<float>(levels.width_ns()));
    return {};
  }

  std::vector<std::uint32_t> typical_rows() const {
    std::vector<std::uint32_t> row_of(names_.locations.size(), kNoRow);
    for (std::uint32_t row = 0; row < rows_.size(); ++row) row_of[rows_[row].typical] = row;
    return row_of;
  }

  void add_definitions(const CallPlaces& places, Json& json) const {
    json["unfinished_flag"] = static_cast<std::uint32_t>(kFlagUnfinished);
    // A reference to a member of an ordered object is valid until the next one is added.
    Json classes = Json::array(), calls = Json::array(), call_classes = Json::array();
    for (const std::string_view name : kStateClassNames) classes.push_back(name);
    const std::vector<CallTraits> traits = call_traits(names_);
    for (std::size_t i = 0; i < names_.calls.size(); ++i) {
      calls.push_back(names_.calls[i].name);
      // A user event has no time of its own.
      call_classes.push_back(traits[i].is_user ? -1 : static_cast<int>(class_of(traits[i].state)));
    }
    Json kinds = Json::array(), kind_classes = Json::array(), list = Json::array();
    for (std::size_t k = 0; k < std::size(kWaitKindNames); ++k) {
      kinds.push_back(kWaitKindNames[k]);
      kind_classes.push_back(static_cast<int>(class_of(static_cast<WaitKind>(k))));
    }
    for (std::uint32_t place = 0; place < places.size(); ++place) list.push_back(places.name(place));
    json["classes"] = std::move(classes);
    json["calls"] = std::move(calls);
    json["call_classes"] = std::move(call_classes);
    json["wait_kinds"] = std::move(kinds);
    json["wait_classes"] = std::move(kind_classes);
    json["places"] = std::move(list);
  }

  Json describe(std::uint32_t location) const {
    const MergedLocation& own = names_.locations[location];
    return {own.rank, own.thread};
  }

  void add_rows(const RowLevels& levels, Json& json) const {
    Json& list = json["rows"] = Json::array();
    for (const PageRow& row : rows_) {
      const MergedLocation& typical = names_.locations[row.typical];
      const MergedRank* const rank = names_.find_rank(typical.rank);
      Json& added = list.emplace_back(Json{{"rank", typical.rank}, {"thread", typical.thread}});
      added["host"] = rank == nullptr ? "" : rank->host;
      added["clock"] = rank == nullptr ? 0 : rank->clock_domain;
      if (row.locations.size() == 1) continue;
      added["outlier"] = describe(row.outlier);
      Json& members = added["members"] = Json::array();
      for (const std::uint32_t location : row.locations) members.push_back(describe(location));
    }
    std::string shares;
    PackedNumbers calls, longest;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const float whole = static_cast<float>(levels.width_ns()) * static_cast<float>(rows_[row].locations.size());
      for (std::size_t s = 0; s < kStateClasses; ++s)
        for (std::size_t bin = 0; bin < levels.bins(); ++bin) {
          const float share = std::min(1.0F, levels.time_ns(row, s, bin) / whole);
          // What is there at all is seen: a class that is in a bin has at least 1 of 255.
          shares +=
              static_cast<char>(static_cast<unsigned char>(share > 0 ? std::max(1.0F, std::round(share * 255)) : 0));
        }
      for (std::size_t bin = 0; bin < levels.bins(); ++bin) {
        calls.add(levels.calls(row, bin));
        longest.add_signed(levels.longest_ns(row, bin));
      }
    }
    json["bins"] = levels.bins();
    json["bin_ns"] = levels.width_ns();
    json["shares"] = packed_text(shares);
    json["bin_calls"] = packed_text(calls.bytes());
    json["bin_longest"] = packed_text(longest.bytes());
  }

  void add_waits(const TimelineScan& scan, const std::vector<WaitInstance>& waits, Json& json) const {
    Json& list = json["waits"] = Json::array();
    for (const WaitInstance& wait : waits) {
      if (list.size() == kMostWaits) break;
      list.push_back({{"kind", kWaitKindNames[static_cast<std::size_t>(wait.kind)]},
                      {"function", names_.call_name(wait.call)},
                      {"place", scan.places().name(wait.place)},
                      {"at", describe(wait.location)},
                      {"causer", describe(wait.causer)},
                      {"begin_ns", wait.begin_ns},
                      {"end_ns", wait.end_ns}});
    }
  }

  static void add_regions(TimelineScan& scan, Json& json) {
    PackedNumbers rows, calls, depths, begins, lengths;
    std::uint32_t row = 0;
    std::int64_t at_ns = 0;
    const std::vector<RegionInstance> regions = scan.regions();
    for (const RegionInstance& each : regions) {
      rows.add(each.row - std::exchange(row, each.row));
      calls.add(each.call);
      depths.add(each.depth);
      begins.add_signed(each.begin_ns - std::exchange(at_ns, each.begin_ns));
      lengths.add_signed(each.end_ns - each.begin_ns);
    }
    json["regions"] = {{"count", regions.size()},
                       {"is_whole", !scan.has_lost_regions()},
                       {"row", packed_text(rows.bytes())},
                       {"call", packed_text(calls.bytes())},
                       {"depth", packed_text(depths.bytes())},
                       {"begin", packed_text(begins.bytes())},
                       {"length", packed_text(lengths.bytes())}};
  }

  std::vector<ExactWindow> windows_of(const TimelineScan& scan, const std::vector<WaitInstance>& waits) const {
    const RowLevels& slots = scan.slots();
    std::vector<std::uint32_t> counts(slots.bins());
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots.calls(0, i), UINT32_MAX));
    std::vector<std::size_t> wanted;
    const auto want = [&](const WaitInstance& wait) {
      const std::size_t from = slots.bin_of(wait.begin_ns), to = slots.bin_of(wait.end_ns);
      wanted.push_back(to);
      if (from != to) wanted.push_back(from);
    };
    for (const ProblemSummary& problem : summary_.problems)
      for (const WaitInstance& wait : waits)
        if (names_.call_name(wait.call) == problem.function && scan.places().name(wait.place) == problem.place) {
          want(wait);
          break;
        }
    for (std::size_t i = 0; i < std::min<std::size_t>(waits.size(), kMostWaits); ++i) want(waits[i]);
    return choose_windows(counts, begin_ns_, slots.width_ns(), wanted, budget_.events);
  }

  /// Bounds of T1 and T2 over time, by clock. At least one knot in kMostBoundKnots is the widest of its neighbours.
  Status add_bounds(Json& json) const {
    Json& list = json["bounds"] = Json::array();
    const auto bounds = trace_.clock_bounds();
    if (!bounds) {
      if (bounds.error().code == Errc::not_found) return {};
      return bounds.error();
    }
    for (const std::vector<ClockBoundKnot>& knots : bounds->domains) {
      if (list.size() == kMostClocks) break;
      Json& own = list.emplace_back(Json::array());
      const std::size_t step = std::max<std::size_t>(1, (knots.size() + kMostBoundKnots - 1) / kMostBoundKnots);
      for (std::size_t k = 0; k < knots.size(); k += step) {
        double widest[2] = {0, 0};
        for (std::size_t q = k; q < std::min(k + step, knots.size()); ++q)
          for (const std::size_t level : {0U, 1U})
            widest[level] = std::max(
                widest[level], knots[q].is_certified
                                   ? static_cast<double>(std::max(knots[q].early_ns[level], knots[q].late_ns[level]))
                                   : INFINITY);
        // JSON has no infinity: null.
        own.push_back({knots[k].time_ns, std::isfinite(widest[0]) ? Json(widest[0]) : Json(),
                       std::isfinite(widest[1]) ? Json(widest[1]) : Json()});
      }
    }
    return {};
  }

  void report(std::uint64_t row) const {
    if (progress_ && trace_.events() != 0)
      progress_((step_ + static_cast<double>(row) / static_cast<double>(trace_.events())) / steps_);
  }

  const MergedTrace& trace_;
  const MergedDefinitions& names_;
  const Summary& summary_;
  const PageBudget& budget_;
  const PageProgress& progress_;
  std::vector<LocationLife> lives_;
  std::vector<PageRow> rows_;
  std::vector<std::uint32_t> row_of_;
  bool has_kernel_threads_ = false;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 1;
  double step_ = 0;
  double steps_ = 1;
};

}  // namespace

Result<Json> page_timeline(const MergedTrace& trace, const Summary& summary, const PageBudget& budget,
                           const PageProgress& progress) {
  return TimelineBuilder{trace, summary, budget, progress}.build();
}

}  // namespace meridian
