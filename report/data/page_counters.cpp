// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_counters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "merged/counter_reader.hpp"
#include "report/data/encoding.hpp"

namespace meridian {
namespace {

constexpr std::size_t kRowCells = std::size_t{1} << 14;  // rows x bins of a counter
constexpr std::size_t kLeastRowBins = 16;

/// The threads of counted calls, which lie thread by thread.
class ThreadsOfCalls {
 public:
  explicit ThreadsOfCalls(std::span<const CountedCalls> calls) : calls_{calls} {}

  /// The location of the next call; nullopt from the first one on that is not where it should be.
  std::optional<std::size_t> next(std::uint64_t row) {
    while (location_ < calls_.size() && seen_ == calls_[location_].count) {
      ++location_;
      seen_ = 0;
    }
    if (location_ < calls_.size() && seen_ == 0 && row != calls_[location_].first) location_ = calls_.size();
    if (location_ == calls_.size()) return std::nullopt;
    ++seen_;
    return location_;
  }

 private:
  std::span<const CountedCalls> calls_;
  std::size_t location_ = 0;
  std::uint64_t seen_ = 0;
};

std::string packed_sums(std::span<const double> sums) {
  PackedNumbers values;
  for (const double sum : sums) values.add(static_cast<std::uint64_t>(std::llround(std::max(0.0, sum))));
  return packed_text(values.bytes());
}

}  // namespace

Result<nlohmann::ordered_json> page_counters(const MergedTrace& trace, const CounterInput& events) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  MERIDIAN_TRY(const std::vector<MergedCounter> counters, read_counter_names(trace.path()));
  const std::size_t bins = events.first_rows.size();
  if (counters.empty() || bins == 0) return list;
  const std::size_t row_bins = std::clamp(std::bit_floor(kRowCells / std::max<std::size_t>(1, events.rows)),
                                          kLeastRowBins, kCounterBins),
                    together = std::max<std::size_t>(1, bins / row_bins);
  std::vector<std::vector<double>> sums(counters.size(), std::vector<double>(bins)),
      row_sums(counters.size(), std::vector<double>(events.rows * row_bins));
  ThreadsOfCalls threads{events.calls};
  bool has_rows = true;
  std::optional<std::size_t> last_location;
  std::uint64_t last_row = UINT64_MAX;
  std::size_t last_bin = 0;
  MERIDIAN_TRY_DO(read_counters(trace.path(), [&](std::uint64_t row, std::span<const CallCount> counts) -> Status {
    const auto bin =
        static_cast<std::size_t>(std::ranges::upper_bound(events.first_rows, row) - events.first_rows.begin()) - 1;
    const std::optional<std::size_t> location = threads.next(row);
    has_rows = has_rows && location.has_value();
    const std::size_t own = has_rows ? events.row_of[*location] : events.rows;
    const auto add = [&](std::size_t counter, std::size_t at, double amount) {
      sums[counter][at] += amount;
      if (own < events.rows) row_sums[counter][own * row_bins + std::min(row_bins - 1, at / together)] += amount;
    };
    // Rows of a thread ascend. What its first call has from before it belongs to nobody's time.
    const bool is_same_thread = last_row < row && last_bin <= bin && (!has_rows || location == last_location);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      add(i, bin, static_cast<double>(counts[i].in_call));
      if (!is_same_thread) continue;
      const double share = static_cast<double>(counts[i].between) / static_cast<double>(bin - last_bin + 1);
      for (std::size_t k = last_bin; k <= bin; ++k) add(i, k, share);
    }
    last_location = location;
    last_row = row;
    last_bin = bin;
    return {};
  }));
  for (std::size_t i = 0; i < counters.size(); ++i) {
    auto& added = list.emplace_back(nlohmann::ordered_json{{"name", counters[i].name},
                                                           {"unit", counters[i].unit},
                                                           {"bin_ns", events.bin_ns},
                                                           {"values", packed_sums(sums[i])}});
    if (!has_rows) continue;
    added["row_bins"] = row_bins;
    added["row_bin_ns"] = events.bin_ns * static_cast<std::int64_t>(together);
    added["row_values"] = packed_sums(row_sums[i]);
  }
  return list;
}

}  // namespace meridian
