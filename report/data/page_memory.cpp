// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_memory.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "merged/memory_reader.hpp"
#include "report/data/encoding.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMemoryBins = 256;

/// Adds up what processes have at the ends of the bins.
class MemorySums {
 public:
  MemorySums(std::int64_t begin_ns, std::int64_t bin_ns) : begin_ns_{begin_ns}, bin_ns_{bin_ns} {}

  void begin_rank() {
    bin_ = 0;
    bytes_ = 0;
  }
  void add(const MergedMemory& row) {
    fill(row.time_ns);
    bytes_ = row.resident_bytes;
  }
  void end_rank() {
    for (; bin_ < kMemoryBins; ++bin_) sums_[bin_] += bytes_;
  }
  const std::vector<std::uint64_t>& sums() const { return sums_; }

 private:
  /// The bins that end before this time.
  void fill(std::int64_t time_ns) {
    for (; bin_ < kMemoryBins && begin_ns_ + bin_ns_ * (static_cast<std::int64_t>(bin_) + 1) < time_ns; ++bin_)
      sums_[bin_] += bytes_;
  }

  std::int64_t begin_ns_, bin_ns_;
  std::size_t bin_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<std::uint64_t> sums_ = std::vector<std::uint64_t>(kMemoryBins);
};

}  // namespace

Result<nlohmann::ordered_json> page_memory(const MergedTrace& trace, std::int64_t begin_ns, std::int64_t end_ns) {
  MERIDIAN_TRY(const MemoryReader reader, trace.memory());
  if (reader.size() == 0 || end_ns <= begin_ns) return nlohmann::ordered_json{};
  const std::int64_t bin_ns = (end_ns - begin_ns - 1) / static_cast<std::int64_t>(kMemoryBins) + 1;
  MemorySums sums{begin_ns, bin_ns};
  std::vector<MergedMemory> rows;
  std::optional<std::int32_t> rank;
  for (MemoryCursor cursor{reader, {}};;) {
    MERIDIAN_TRY(const bool has_more, cursor.next(rows));
    if (rank && (!has_more || cursor.rank() != *rank)) sums.end_rank();
    if (!has_more) break;
    if (!rank || cursor.rank() != *rank) sums.begin_rank();
    rank = cursor.rank();
    for (const MergedMemory& row : rows) sums.add(row);
  }
  PackedNumbers values;
  for (const std::uint64_t sum : sums.sums()) values.add(sum);
  return nlohmann::ordered_json{{"bin_ns", bin_ns}, {"values", packed_text(values.bytes())}};
}

}  // namespace meridian
