// SPDX-License-Identifier: Apache-2.0
#include "edit/remaining_counters.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "merged/counter_reader.hpp"
#include "merged/read_numbers.hpp"
#include "merger/statistics/region_counters.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReleaseEvery = 1 << 14;  // rows

/// Walks the calls with counters, thread by thread.
class CounterCopy {
 public:
  CounterCopy(const StoredTrace& stored, const Trace& trace, const RowFacts& facts, const RowMap& map,
              CounterTotals& totals, MergedOutput& output)
      : stored_{stored},
        trace_{trace},
        facts_{facts},
        map_{map},
        totals_{totals},
        output_{output},
        width_{totals.names.size()},
        regions_{trace.user.list.size(), width_},
        before_(width_) {}

  Status add(std::uint64_t row, std::span<const CallCount> counts) {
    if (row >= facts_.size()) return damaged_merged("counters refer to an event that is not there");
    if (row % kReleaseEvery == 0) {
      facts_.release_pages();
      map_.release_pages();
    }
    const RowFact& fact = facts_[row];
    if (fact.location != location_) {
      MERIDIAN_TRY_DO(end_thread());
      location_ = fact.location;
    }
    if (!map_.has(row)) {
      has_dropped_ = true;
      for (std::size_t c = 0; c < width_; ++c) before_[c] += counts[c].in_call + counts[c].between;
      return {};
    }
    const std::uint64_t at = map_.row(row);
    const bool is_same = pending_row_ && *pending_row_ == at;
    if (!is_same) {
      MERIDIAN_TRY_DO(store());
      pending_row_ = at;
      pending_fact_ = fact;
      pending_.assign(width_, {});
    }
    const bool is_first = !is_same && !has_kept_ && has_dropped_;  // the thread was seen from this call on
    for (std::size_t c = 0; c < width_; ++c) {
      pending_[c].value += counts[c].in_call;
      if (!is_first) pending_[c].between += counts[c].between + before_[c];
      before_[c] = 0;
    }
    has_kept_ = true;
    return {};
  }

  /// After the last call.
  Status finish() { return end_thread(); }
  const std::vector<RegionCounters::Sums>& regions() const { return regions_.sums(); }

 private:
  Status end_thread() {
    MERIDIAN_TRY_DO(store());
    regions_.end_thread();
    has_kept_ = has_dropped_ = false;
    std::ranges::fill(before_, 0);
    return {};
  }

  Status store() {
    if (!pending_row_) return {};
    MERIDIAN_TRY_DO(output_.counters().append(*pending_row_, pending_));
    pending_row_.reset();
    const std::size_t call = pending_fact_.call;
    const bool is_user = call >= trace_.user.first_call;
    const bool is_mpi = is_mpi_name(trace_.calls[call].name);
    auto& sums = totals_.ranks[rank_index()];
    auto& function = totals_.functions[call];
    if (!is_user) function.resize(width_);
    for (std::size_t c = 0; c < width_; ++c) {
      const auto [value, between] = pending_[c];
      sums[c].total += value + between;
      if (is_mpi) sums[c].mpi += value;
      if (!is_user) function[c] += value;
      regions_.add(c, between, false);
      regions_.add(c, value, is_mpi);
    }
    if (!is_user) return {};
    const std::size_t region = call - trace_.user.first_call;
    if ((pending_fact_.flags & kFlagEnds) != 0)
      regions_.end(region);
    else if ((pending_fact_.flags & kFlagBegins) != 0)
      regions_.begin(region);
    return {};
  }

  std::size_t rank_index() const {
    const MergedDefinitions& names = stored_.definitions();
    const MergedRank* const rank = names.find_rank(names.locations[location_].rank);
    return static_cast<std::size_t>(rank - names.ranks.data());
  }

  const StoredTrace& stored_;
  const Trace& trace_;
  const RowFacts& facts_;
  const RowMap& map_;
  CounterTotals& totals_;
  MergedOutput& output_;
  std::size_t width_;
  RegionCounters regions_;
  std::vector<std::int64_t> before_;  // counted since the last call that is kept
  std::uint32_t location_ = 0xffffffff;
  bool has_kept_ = false, has_dropped_ = false;  // in this thread
  std::optional<std::uint64_t> pending_row_;     // of the new trace: calls that were fused have the same
  RowFact pending_fact_;
  std::vector<StoredCount> pending_;
};

}  // namespace

Result<CounterTotals> copy_counters(const StoredTrace& stored, const RemainingSummary& remaining, const RowFacts& facts,
                                    const RowMap& map, MergedOutput& output) {
  CounterTotals totals;
  MERIDIAN_TRY(const std::vector<MergedCounter> counters, read_counter_names(stored.path()));
  if (counters.empty()) return totals;
  for (const MergedCounter& counter : counters) {
    totals.names.push_back(counter.name);
    totals.units.push_back(counter.unit);
  }
  const auto& ranks = stored.definitions().ranks;
  const Summary& original = remaining.original();
  if (ranks.size() != original.ranks.size()) return damaged_merged("the summary has other ranks than the trace");
  totals.ranks.assign(ranks.size(), std::vector<CounterTotals::Sums>(counters.size()));
  for (const CounterSummary& row : original.counters) {
    const auto rank = std::ranges::find(ranks, row.rank, &MergedRank::rank);
    const auto counter = std::ranges::find(totals.names, row.name);
    if (rank != ranks.end() && counter != totals.names.end())
      totals
          .ranks[static_cast<std::size_t>(rank - ranks.begin())]
                [static_cast<std::size_t>(counter - totals.names.begin())]
          .is_counted = true;
  }
  const Trace& trace = remaining.trace();
  totals.functions.resize(trace.calls.size());
  MERIDIAN_TRY_DO(output.begin_counters(totals.names, totals.units));
  CounterCopy copy{stored, trace, facts, map, totals, output};
  MERIDIAN_TRY_DO(read_counters(
      stored.path(), [&](std::uint64_t row, std::span<const CallCount> counts) { return copy.add(row, counts); }));
  MERIDIAN_TRY_DO(copy.finish());
  totals.regions = copy.regions();
  return totals;
}

}  // namespace meridian
