// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_timeline.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/data/encoding.hpp"
#include "report/data/exact_windows.hpp"
#include "report/data/page_bins.hpp"
#include "report/data/page_clocks.hpp"
#include "report/data/page_colours.hpp"
#include "report/data/page_counters.hpp"
#include "report/data/page_events.hpp"
#include "report/data/page_matrix.hpp"
#include "report/data/page_memory.hpp"
#include "report/data/page_user_counters.hpp"
#include "report/data/timeline_rows.hpp"
#include "report/data/timeline_scan.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kSlotsPerBudget = 64;  // slots of time that together have as many events as the page may have
constexpr std::size_t kMostSlots = std::size_t{1} << 20;
constexpr std::size_t kMostWaits = 500;
constexpr std::size_t kMostCalls = 500;

class TimelineBuilder {
 public:
  TimelineBuilder(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows, const PageBudget& budget,
                  const PageProgress& progress)
      : trace_{trace},
        names_{trace.definitions()},
        summary_{summary},
        rows_{rows},
        named_{rows.named_rows()},
        budget_{budget},
        progress_{progress} {}

  Result<Json> build() {
    const std::size_t rows = rows_.rows.size();
    const std::size_t bins =
        std::clamp<std::size_t>(std::bit_floor(budget_.cells / std::max<std::size_t>(1, rows)), 64, budget_.bins);
    RowLevels levels{rows, bins, rows_.begin_ns, rows_.end_ns};
    std::vector<bool> is_named(named_.size());
    for (std::size_t i = 0; i < named_.size(); ++i) is_named[i] = named_[i] != kNoRow;
    const std::size_t slots = std::clamp<std::size_t>(
        trace_.events() / std::max<std::uint64_t>(1, budget_.events) * kSlotsPerBudget, 1, kMostSlots);
    TimelineScan scan{trace_, rows_.lives, rows_.row_of, levels, slots, budget_.regions, std::move(is_named)};
    MERIDIAN_TRY(const std::unique_ptr<PageColours> colours, PageColours::open(trace_, summary_, rows_));
    PageUserCounters user_counters{trace_, rows_.begin_ns, rows_.end_ns};
    scan.watch([&](std::uint32_t row, const Tile& tile, const WaitSpan* wait) { colours->add(row, tile, wait); },
               [&](std::span<const WalkedEvent> events) -> Status {
                 MERIDIAN_TRY_DO(user_counters.look_at(events));
                 return colours->look_at(events);
               });
    MERIDIAN_TRY_DO(scan.run([&](std::uint64_t row) {
      if (progress_) progress_(static_cast<double>(row) / static_cast<double>(trace_.events()));
    }));

    Json json{{"begin_ns", rows_.begin_ns}, {"end_ns", rows_.end_ns}, {"total_events", trace_.events()}};
    add_definitions(scan.places(), json);
    add_rows(levels, json);
    const std::vector<WaitInstance> waits = scan.waits();
    const std::vector<CallInstance> calls = longest_calls(scan);
    add_instances(scan, waits, calls, json);
    add_regions(scan, json);
    const std::vector<TimeWindow> windows = windows_of(scan, waits, calls);
    Json& list = json["windows"] = Json::array();
    for (const TimeWindow& window : windows) list.push_back({window.from_ns, window.to_ns});
    MERIDIAN_TRY(json["events"], page_events(trace_, windows, named_, rows));
    MERIDIAN_TRY(json["bounds"], page_bounds(trace_));
    MERIDIAN_TRY(json["clocks"], page_clocks(trace_));
    const std::vector<std::uint64_t> first_rows = scan.first_rows();
    MERIDIAN_TRY(json["counters"], page_counters(trace_, {first_rows, scan.first_rows_bin_ns(), scan.counted_calls(),
                                                          rows_.row_of, rows}));
    MERIDIAN_TRY(json["memory"], page_memory(trace_, rows_.begin_ns, rows_.end_ns));
    json["user_counters"] = user_counters.finish();
    json["matrix"] = page_matrix(summary_, names_);
    json["rank_shares"] = page_shares(summary_);
    std::vector<std::size_t> threads;
    for (const PageRow& row : rows_.rows) threads.push_back(row.locations.size());
    MERIDIAN_TRY(json["colours"], colours->finish(threads));
    return json;
  }

 private:
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
    json["communicators"] = communicators();
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

  /// Those with one name and kind that follow each other are together: each rank has one of its own.
  Json communicators() const {
    Json list = Json::array();
    const std::vector<MergedCommunicator>& all = names_.communicators;
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
      while (next < all.size() && all[next].name == all[first].name && all[next].kind == all[first].kind) ++next;
      list.push_back({{"first", first}, {"count", next - first}, {"name", all[first].name}, {"kind", all[first].kind}});
    }
    return list;
  }

  Json describe(std::uint32_t location) const {
    const MergedLocation& own = names_.locations[location];
    return {own.rank, own.thread};
  }

  void add_rows(const RowLevels& levels, Json& json) const {
    Json& list = json["rows"] = Json::array();
    std::unordered_map<std::int32_t, const MergedRank*> rank_of;
    for (const MergedRank& rank : names_.ranks) rank_of.emplace(rank.rank, &rank);
    const auto find_rank = [&](std::uint32_t location) -> const MergedRank* {
      const auto found = rank_of.find(names_.locations[location].rank);
      return found == rank_of.end() ? nullptr : found->second;
    };
    std::vector<std::size_t> threads;
    for (const PageRow& row : rows_.rows) {
      threads.push_back(row.locations.size());
      const MergedLocation& typical = names_.locations[row.typical];
      const MergedRank* const rank = find_rank(row.typical);
      Json& added = list.emplace_back(Json{{"rank", typical.rank}, {"thread", typical.thread}});
      added["host"] = rank == nullptr ? "" : rank->host;
      added["clock"] = rank == nullptr ? 0 : rank->clock_domain;
      if (row.locations.size() == 1) continue;
      added["outlier"] = describe(row.outlier);
      Json& members = added["members"] = Json::array();
      for (const std::uint32_t location : row.locations) members.push_back(describe(location));
    }
    add_bins(levels, rows_.rows.size(), threads, json);
    if (!rows_.profiles) return;
    const std::vector<std::uint32_t> members = rows_.members();
    Json& coarse = json["members"] = coarse_bins(*rows_.profiles, members.size());
    PackedNumbers clocks, hosts;
    Json names = Json::array();
    std::unordered_map<std::string, std::size_t> number_of_host;
    for (const std::uint32_t location : members) {
      const MergedRank* const rank = find_rank(location);
      const auto [host, is_new] = number_of_host.emplace(rank == nullptr ? "" : rank->host, number_of_host.size());
      if (is_new) names.push_back(host->first);
      hosts.add(host->second);
      clocks.add(rank == nullptr ? 0 : rank->clock_domain);
    }
    coarse["names"] = std::move(names);
    coarse["hosts"] = packed_text(hosts.bytes());
    coarse["clocks"] = packed_text(clocks.bytes());
  }

  /// Those of problems, then others, longest first.
  std::vector<CallInstance> longest_calls(const TimelineScan& scan) const {
    std::vector<CallInstance> calls = scan.longest_calls();
    const auto is_problem = [&](const CallInstance& call) {
      return std::ranges::any_of(summary_.problems, [&](const ProblemSummary& problem) {
        return names_.call_name(call.call) == problem.function &&
               (problem.place.empty() || scan.places().name(call.place) == problem.place);
      });
    };
    std::ranges::stable_sort(calls, std::ranges::greater{},
                             [](const CallInstance& call) { return call.end_ns - call.begin_ns; });
    std::stable_partition(calls.begin(), calls.end(), is_problem);  // clang 14 does not compile that of ranges
    calls.resize(std::min(calls.size(), kMostCalls));
    return calls;
  }

  void add_instances(const TimelineScan& scan, const std::vector<WaitInstance>& waits,
                     const std::vector<CallInstance>& calls, Json& json) const {
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
    Json& longest = json["longest_calls"] = Json::array();
    for (const CallInstance& call : calls)
      longest.push_back({{"function", names_.call_name(call.call)},
                         {"place", scan.places().name(call.place)},
                         {"at", describe(call.location)},
                         {"begin_ns", call.begin_ns},
                         {"end_ns", call.end_ns}});
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

  std::vector<TimeWindow> windows_of(const TimelineScan& scan, const std::vector<WaitInstance>& waits,
                                     const std::vector<CallInstance>& calls) const {
    const RowLevels& slots = scan.slots();
    std::vector<std::uint32_t> counts(slots.bins());
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots.calls(0, i), UINT32_MAX));
    std::vector<std::size_t> wanted;
    const auto want = [&](const auto& instance) {
      const std::size_t from = slots.bin_of(instance.begin_ns), to = slots.bin_of(instance.end_ns);
      wanted.push_back(to);
      if (from != to) wanted.push_back(from);
    };
    for (const ProblemSummary& problem : summary_.problems) {
      const auto matches = [&](const auto& each) {
        return names_.call_name(each.call) == problem.function && scan.places().name(each.place) == problem.place;
      };
      const auto wait = std::ranges::find_if(waits, matches);
      const auto call = std::ranges::find_if(calls, matches);
      if (wait != waits.end()) want(*wait);
      if (wait == waits.end() && call != calls.end()) want(*call);
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(waits.size(), kMostWaits); ++i) want(waits[i]);
    return choose_windows(counts, rows_.begin_ns, slots.width_ns(), wanted, budget_.events);
  }

  const MergedTrace& trace_;
  const MergedDefinitions& names_;
  const Summary& summary_;
  const TimelineRows& rows_;
  std::vector<std::uint32_t> named_;
  const PageBudget& budget_;
  const PageProgress& progress_;
};

}  // namespace

Result<Json> page_timeline(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows,
                           const PageBudget& budget, const PageProgress& progress) {
  return TimelineBuilder{trace, summary, rows, budget, progress}.build();
}

}  // namespace meridian
