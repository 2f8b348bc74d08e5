// SPDX-License-Identifier: Apache-2.0
#include "merger/memory/merge_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "merged/model/memory.hpp"
#include "merger/memory/growth_place.hpp"
#include "merger/memory/memory_curve.hpp"
#include "trace/format/rank/memory_table.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr double kMiB = 1 << 20;

/// Two digits after the point: "0.98".
std::string decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string mebibytes(double bytes) { return decimal(bytes / kMiB) + " MiB"; }

/// Writes the readings of one rank after another.
class MemoryMerger {
 public:
  MemoryMerger(const Trace& trace, std::span<const RankPlace> places, hid_t file, Findings& findings)
      : trace_{trace}, places_{places}, file_{file}, findings_{findings} {}

  Result<std::vector<RankMemorySummary>> run() {
    for (std::size_t i = 0; i < trace_.files.size(); ++i) MERIDIAN_TRY_DO(add_rank(i));
    if (!table_) return std::vector<RankMemorySummary>{};
    MERIDIAN_TRY_DO(table_->finish());
    MERIDIAN_TRY_DO(write_column_table(file_, kMemoryRanks, kMemoryRankColumns, ranks_));
    return std::move(summaries_);
  }

 private:
  Status add_rank(std::size_t index) {
    auto readings = MemoryTable::open(places_[index].file, places_[index].group);
    if (!readings) report(index, readings.error());
    if (!readings || readings->size() == 0) return {};
    if (!table_) {
      MERIDIAN_TRY(table_, LongTableWriter<MergedMemory>::create(file_, kMemory, kMemoryColumns));
    }
    ranks_.push_back({trace_.files[index]->meta().rank, table_->size(), 0});
    MemoryCurve curve;
    RankMemorySummary summary;
    MergedMemory first, last;
    for (;;) {
      const auto rows = readings->next();
      if (!rows) report(index, rows.error());
      if (!rows || rows->empty()) break;
      for (const MemoryRow& row : *rows) {
        const bool is_first = table_->size() == ranks_.back().first;
        const std::int64_t time_ns = trace_.clocks.maps[index].to_global(row.ticks);
        last = {is_first ? time_ns : std::max(time_ns, last.time_ns),
                row.resident_bytes,
                row.peak_bytes,
                row.swapped_bytes,
                row.minor_faults,
                row.major_faults};
        if (is_first) first = last;
        summary.peak_bytes = std::max(summary.peak_bytes, last.peak_bytes);
        summary.swapped_bytes = std::max(summary.swapped_bytes, last.swapped_bytes);
        curve.add(last.time_ns, last.resident_bytes);
        MERIDIAN_TRY_DO(table_->push(last));
      }
    }
    ranks_.back().count = table_->size() - ranks_.back().first;
    if (ranks_.back().count != 0) summarize(index, curve, first, last, std::move(summary));
    return {};
  }

  void summarize(std::size_t index, const MemoryCurve& curve, const MergedMemory& first, const MergedMemory& last,
                 RankMemorySummary summary) {
    summary.rank = ranks_.back().rank;
    summary.begin_bytes = first.resident_bytes;
    summary.end_bytes = last.resident_bytes;
    summary.minor_faults = last.minor_faults - std::min(first.minor_faults, last.minor_faults);
    summary.major_faults = last.major_faults - std::min(first.major_faults, last.major_faults);
    if (summary.swapped_bytes != 0)
      findings_.add(FindingId::memory_swapped, 1, [&] {
        return name_of(index) + ": " + mebibytes(static_cast<double>(summary.swapped_bytes)) + ", " +
               std::to_string(summary.major_faults) + " major page faults";
      });
    if (const auto growth = curve.steady_growth()) {
      const GrowthPlace place = find_growth_place(trace_, index, curve, *growth);
      summary.growth_bytes = growth->bytes;
      summary.growth_s = seconds(growth->end_ns - growth->begin_ns);
      summary.iteration = place.iteration;
      summary.iterations = place.iterations;
      if (place.iterations != 0)
        summary.iteration_bytes = static_cast<double>(growth->bytes) / static_cast<double>(place.iterations);
      summary.region = place.region;
      findings_.add(FindingId::memory_growth, 1, [&] { return name_of(index) + ": " + describe_growth(summary); });
    }
    summaries_.push_back(std::move(summary));
  }

  static std::string describe_growth(const RankMemorySummary& row) {
    std::string text = mebibytes(static_cast<double>(row.growth_bytes)) + " in " + decimal(row.growth_s) + " s";
    if (row.iterations != 0)
      text += ", " + mebibytes(row.iteration_bytes) + " in each of " + std::to_string(row.iterations) +
              (row.iteration.starts_with("MPI_") ? " calls of " : " instances of ") + row.iteration;
    if (!row.region.empty() && row.region != row.iteration) text += ", in region " + row.region;
    return text;
  }

  std::string name_of(std::size_t index) const { return rank_name(trace_.worlds, trace_.files[index]->meta().rank); }

  void report(std::size_t index, const Error& error) {
    findings_.add(FindingId::rank_damaged_tables, 1, name_of(index) + ": " + error.what);
  }

  const Trace& trace_;
  std::span<const RankPlace> places_;
  hid_t file_;
  Findings& findings_;
  std::optional<LongTableWriter<MergedMemory>> table_;
  std::vector<MemoryRank> ranks_;
  std::vector<RankMemorySummary> summaries_;
};

}  // namespace

Result<std::vector<RankMemorySummary>> merge_memory(const Trace& trace, std::span<const RankPlace> places,
                                                    std::int64_t file, Findings& findings) {
  return MemoryMerger{trace, places, static_cast<hid_t>(file), findings}.run();
}

}  // namespace meridian
