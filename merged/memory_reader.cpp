// SPDX-License-Identifier: Apache-2.0
#include "merged/memory_reader.hpp"

#include <algorithm>
#include <utility>

#include "merged/read_numbers.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kRowsAtOnce = 4096;

Status check_ranks(const std::vector<MemoryRank>& ranks, std::uint64_t rows) {
  std::uint64_t expected = 0;
  for (const MemoryRank& rank : ranks) {
    if (rank.first != expected || rank.count > rows - expected)
      return damaged_merged("the ranks of readings of the memory contradict them");
    expected += rank.count;
  }
  return expected == rows ? Status{} : damaged_merged("the ranks of readings of the memory contradict them");
}

}  // namespace

struct MemoryReader::Impl {
  LongTableReader<MergedMemory> table;
  std::vector<MemoryRank> ranks;
};

MemoryReader::MemoryReader(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
MemoryReader::MemoryReader(MemoryReader&&) noexcept = default;
MemoryReader& MemoryReader::operator=(MemoryReader&&) noexcept = default;
MemoryReader::~MemoryReader() = default;

Result<MemoryReader> MemoryReader::open(std::int64_t id) {
  const h5::Quiet quiet;
  const auto file = static_cast<hid_t>(id);
  auto impl = std::make_unique<Impl>();
  if (!h5::exists(file, kMemory)) return MemoryReader{std::move(impl)};
  MERIDIAN_TRY(impl->table, LongTableReader<MergedMemory>::open(file, kMemory, kMemoryColumns));
  MERIDIAN_TRY_DO(read_column_table(file, kMemoryRanks, kMemoryRankColumns, impl->ranks));
  MERIDIAN_TRY_DO(check_ranks(impl->ranks, impl->table.size()));
  return MemoryReader{std::move(impl)};
}

std::uint64_t MemoryReader::size() const noexcept { return impl_->table.size(); }
const std::vector<MemoryRank>& MemoryReader::ranks() const noexcept { return impl_->ranks; }

Status MemoryReader::read(std::uint64_t first, std::span<MergedMemory> rows) const {
  return rows.empty() ? Status{} : impl_->table.read(first, rows);
}

Result<std::uint64_t> MemoryCursor::find(std::uint64_t first, std::uint64_t end, std::int64_t ns) const {
  while (first < end) {
    const std::uint64_t middle = first + (end - first) / 2;
    MergedMemory row;
    MERIDIAN_TRY_DO(reader_->read(middle, std::span{&row, 1}));
    if (row.time_ns < ns)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

Result<bool> MemoryCursor::begin_rank() {
  const std::vector<MemoryRank>& ranks = reader_->ranks();
  while (rank_ < ranks.size()) {
    const MemoryRank& rank = ranks[rank_++];
    if (selection_.ranks && std::ranges::find(*selection_.ranks, rank.rank) == selection_.ranks->end()) continue;
    at_ = rank.first;
    end_ = rank.first + rank.count;
    if (selection_.from_ns != std::numeric_limits<std::int64_t>::min()) {
      MERIDIAN_TRY(at_, find(at_, end_, selection_.from_ns));
    }
    if (selection_.to_ns != std::numeric_limits<std::int64_t>::max()) {
      MERIDIAN_TRY(end_, find(at_, end_, selection_.to_ns));
    }
    if (at_ < end_) return true;
  }
  return false;
}

Result<bool> MemoryCursor::next(std::vector<MergedMemory>& rows) {
  rows.clear();
  if (at_ == end_) {
    MERIDIAN_TRY(const bool has_more, begin_rank());
    if (!has_more) return false;
  }
  rows.resize(static_cast<std::size_t>(std::min(kRowsAtOnce, end_ - at_)));
  MERIDIAN_TRY_DO(reader_->read(at_, rows));
  at_ += rows.size();
  return true;
}

}  // namespace meridian
