// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_counters.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "merged/counter_reader.hpp"
#include "report/data/encoding.hpp"

namespace meridian {

Result<nlohmann::ordered_json> page_counters(const MergedTrace& trace, std::span<const std::uint64_t> first_rows,
                                             std::int64_t bin_ns) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  MERIDIAN_TRY(const std::vector<MergedCounter> counters, read_counter_names(trace.path()));
  if (counters.empty() || first_rows.empty()) return list;
  std::vector<std::vector<double>> sums(counters.size(), std::vector<double>(first_rows.size()));
  std::uint64_t last_row = UINT64_MAX;
  std::size_t last_bin = 0;
  MERIDIAN_TRY_DO(read_counters(trace.path(), [&](std::uint64_t row, std::span<const CallCount> counts) -> Status {
    const auto bin = static_cast<std::size_t>(std::ranges::upper_bound(first_rows, row) - first_rows.begin()) - 1;
    // Rows of a thread ascend. What its first call has from before it belongs to nobody's time.
    const bool is_same_thread = last_row < row && last_bin <= bin;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sums[i][bin] += static_cast<double>(counts[i].in_call);
      if (!is_same_thread) continue;
      const double share = static_cast<double>(counts[i].between) / static_cast<double>(bin - last_bin + 1);
      for (std::size_t k = last_bin; k <= bin; ++k) sums[i][k] += share;
    }
    last_row = row;
    last_bin = bin;
    return {};
  }));
  for (std::size_t i = 0; i < counters.size(); ++i) {
    PackedNumbers values;
    for (const double sum : sums[i]) values.add(static_cast<std::uint64_t>(std::llround(std::max(0.0, sum))));
    list.push_back({{"name", counters[i].name},
                    {"unit", counters[i].unit},
                    {"bin_ns", bin_ns},
                    {"values", packed_text(values.bytes())}});
  }
  return list;
}

}  // namespace meridian
