// SPDX-License-Identifier: Apache-2.0
#include "merger/samples/merge_samples.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "merged/model/samples.hpp"
#include "merger/samples/rank_locations.hpp"
#include "merger/samples/sample_names.hpp"
#include "trace/format/rank/sample_table.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"
#include "trace/model/sample_keys.hpp"

namespace meridian {
namespace {

/// Writes the samples of one rank after another.
class SampleMerger {
 public:
  SampleMerger(const Trace& trace, std::span<const RankPlace> places, hid_t file, Findings& findings)
      : trace_{trace}, places_{places}, file_{file}, findings_{findings} {}

  Status run() {
    if (!collect()) return {};
    names_.resolve(findings_);
    MERIDIAN_TRY(auto table, LongTableWriter<MergedSample>::create(file_, kSamples, kSampleColumns));
    std::uint32_t first_location = 0;
    for (std::size_t i = 0; i < trace_.files.size(); ++i) {
      const RankMeta& meta = trace_.files[i]->meta();
      if (has_samples_[i]) MERIDIAN_TRY_DO(write_rank(i, RankLocations{meta, first_location}, table));
      first_location += static_cast<std::uint32_t>(meta.threads.size());
    }
    MERIDIAN_TRY_DO(table.finish());
    return names_.write(file_, ranks_, threads_);
  }

 private:
  /// Reads the stacks of all ranks; false: there are none.
  bool collect() {
    has_samples_.assign(trace_.files.size(), false);
    for (std::size_t i = 0; i < trace_.files.size(); ++i) {
      const auto table = SampleTable::open(places_[i].file, places_[i].group);
      if (!table) {
        report(i, table.error());
      } else if (table->size() != 0) {
        has_samples_[i] = true;
        names_.add(i, trace_.files[i]->meta(), table->stacks());
      }
    }
    return std::ranges::find(has_samples_, true) != has_samples_.end();
  }

  Status write_rank(std::size_t index, const RankLocations& locations, LongTableWriter<MergedSample>& table) {
    const RankMeta& meta = trace_.files[index]->meta();
    ranks_.push_back({meta.rank, table.size(), 0});
    auto samples = SampleTable::open(places_[index].file, places_[index].group);
    if (!samples) {
      report(index, samples.error());
      return {};
    }
    std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
    for (;;) {
      const auto rows = samples->next();
      if (!rows) report(index, rows.error());
      if (!rows || rows->empty()) break;
      for (const SampleRow& row : *rows) {
        const auto location = locations.find(row.thread);
        if (!location) continue;  // its row is among the damaged ones
        latest_ns = std::max(latest_ns, trace_.clocks.maps[index].to_global(row.ticks));
        MERIDIAN_TRY_DO(table.push({latest_ns, static_cast<std::int32_t>(*location),
                                    static_cast<std::int32_t>(names_.path(index, row.stack))}));
      }
    }
    ranks_.back().count = table.size() - ranks_.back().first;
    add_threads(meta, locations);
    return {};
  }

  void add_threads(const RankMeta& meta, const RankLocations& locations) {
    for (const TextRow& text : meta.texts) {
      if (text.key != kSamplesProcessorKey) continue;
      std::uint64_t ns = 0;
      std::from_chars(text.value.data(), text.value.data() + text.value.size(), ns);
      if (const auto location = locations.find(text.handle)) threads_.push_back({*location, ns});
    }
  }

  void report(std::size_t index, const Error& error) {
    findings_.add(FindingId::rank_damaged_tables, 1,
                  rank_name(trace_.worlds, trace_.files[index]->meta().rank) + ": " + error.what);
  }

  const Trace& trace_;
  std::span<const RankPlace> places_;
  hid_t file_;
  Findings& findings_;
  SampleNamesBuilder names_;
  std::vector<bool> has_samples_;  // [file]
  std::vector<SampleRank> ranks_;
  std::vector<SampleThread> threads_;
};

}  // namespace

Status merge_samples(const Trace& trace, std::span<const RankPlace> places, std::int64_t file, Findings& findings) {
  return SampleMerger{trace, places, static_cast<hid_t>(file), findings}.run();
}

}  // namespace meridian
