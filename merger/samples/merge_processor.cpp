// SPDX-License-Identifier: Apache-2.0
#include "merger/samples/merge_processor.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "merged/model/processor.hpp"
#include "merger/samples/rank_locations.hpp"
#include "trace/format/rank/processor_table.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"
#include "trace/model/sample_keys.hpp"

namespace meridian {
namespace {

/// The texts have the number so far, again and again.
std::uint64_t lost_switches(const RankMeta& meta) {
  std::uint64_t most = 0;
  for (const TextRow& text : meta.texts) {
    std::uint64_t count = 0;
    if (text.key == kProcessorLostKey) std::from_chars(text.value.data(), text.value.data() + text.value.size(), count);
    most = std::max(most, count);
  }
  return most;
}

/// Writes the intervals of one rank after another.
class ProcessorMerger {
 public:
  ProcessorMerger(const Trace& trace, std::span<const RankPlace> places, hid_t file, Findings& findings)
      : trace_{trace}, places_{places}, file_{file}, findings_{findings} {}

  Status run() {
    std::uint32_t first_location = 0;
    for (std::size_t i = 0; i < trace_.files.size(); ++i) {
      const RankMeta& meta = trace_.files[i]->meta();
      MERIDIAN_TRY_DO(add_rank(i, RankLocations{meta, first_location}));
      first_location += static_cast<std::uint32_t>(meta.threads.size());
    }
    if (!table_) return {};
    MERIDIAN_TRY_DO(table_->finish());
    return write_column_table(file_, kProcessorRanks, kProcessorRankColumns, ranks_);
  }

 private:
  Status add_rank(std::size_t index, const RankLocations& locations) {
    auto intervals = ProcessorTable::open(places_[index].file, places_[index].group);
    if (!intervals) report(index, intervals.error());
    if (!intervals || intervals->size() == 0) return {};
    if (!table_) {
      MERIDIAN_TRY(table_, LongTableWriter<MergedInterval>::create(file_, kProcessor, kProcessorColumns));
    }
    const RankMeta& meta = trace_.files[index]->meta();
    ranks_.push_back({meta.rank, table_->size(), 0, 0, lost_switches(meta)});
    std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
    for (;;) {
      const auto rows = intervals->next();
      if (!rows) report(index, rows.error());
      if (!rows || rows->empty()) break;
      for (const ProcessorRow& row : *rows) {
        const auto location = locations.find(row.thread);
        if (!location) continue;  // its row is among the damaged ones
        const MergedInterval merged = on_common_time(index, row, latest_ns, *location);
        latest_ns = merged.end_ns;
        ranks_.back().longest_ns = std::max(ranks_.back().longest_ns, merged.length_ns);
        MERIDIAN_TRY_DO(table_->push(merged));
      }
    }
    ranks_.back().count = table_->size() - ranks_.back().first;
    return {};
  }

  MergedInterval on_common_time(std::size_t index, const ProcessorRow& row, std::int64_t latest_ns,
                                std::uint32_t location) const {
    const auto& clock = trace_.clocks.maps[index];
    const std::int64_t end_ns = clock.to_global(row.ticks);
    const std::int64_t length_ns = std::max<std::int64_t>(end_ns - clock.to_global(row.ticks - row.length), 0);
    const double part = row.length == 0 ? 0 : static_cast<double>(row.ran) / static_cast<double>(row.length);
    const auto ran_ns = static_cast<std::int64_t>(static_cast<double>(length_ns) * part);
    return {std::max(end_ns, latest_ns),         length_ns, std::min(ran_ns, length_ns),
            static_cast<std::int32_t>(location), row.count, row.is_ready};
  }

  void report(std::size_t index, const Error& error) {
    findings_.add(FindingId::rank_damaged_tables, 1,
                  rank_name(trace_.worlds, trace_.files[index]->meta().rank) + ": " + error.what);
  }

  const Trace& trace_;
  std::span<const RankPlace> places_;
  hid_t file_;
  Findings& findings_;
  std::optional<LongTableWriter<MergedInterval>> table_;
  std::vector<ProcessorRank> ranks_;
};

}  // namespace

Status merge_processor(const Trace& trace, std::span<const RankPlace> places, std::int64_t file, Findings& findings) {
  return ProcessorMerger{trace, places, static_cast<hid_t>(file), findings}.run();
}

}  // namespace meridian
