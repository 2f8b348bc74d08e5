// SPDX-License-Identifier: Apache-2.0
#include "merged/processor_reader.hpp"

#include <algorithm>
#include <utility>

#include "merged/read_numbers.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kIntervalsAtOnce = 4096;
constexpr std::int64_t kNoEndNs = std::numeric_limits<std::int64_t>::max();

Status check_ranks(const std::vector<ProcessorRank>& ranks, std::uint64_t intervals) {
  std::uint64_t expected = 0;
  for (const ProcessorRank& rank : ranks) {
    if (rank.first != expected || rank.count > intervals - expected || rank.longest_ns < 0)
      return damaged_merged("the ranks of intervals without a processor contradict them");
    expected += rank.count;
  }
  if (expected != intervals) return damaged_merged("the ranks of intervals without a processor contradict them");
  return {};
}

bool is_possible_interval(const MergedInterval& row, std::size_t locations) {
  return row.location >= 0 && static_cast<std::size_t>(row.location) < locations && row.count != 0 && row.ran_ns >= 0 &&
         row.ran_ns <= row.length_ns && row.end_ns >= std::numeric_limits<std::int64_t>::min() + row.length_ns;
}

}  // namespace

struct ProcessorReader::Impl {
  LongTableReader<MergedInterval> table;
  std::vector<ProcessorRank> ranks;
  std::size_t locations = 0;
};

ProcessorReader::ProcessorReader(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
ProcessorReader::ProcessorReader(ProcessorReader&&) noexcept = default;
ProcessorReader& ProcessorReader::operator=(ProcessorReader&&) noexcept = default;
ProcessorReader::~ProcessorReader() = default;

Result<ProcessorReader> ProcessorReader::open(std::int64_t id, std::size_t locations) {
  const h5::Quiet quiet;
  const auto file = static_cast<hid_t>(id);
  auto impl = std::make_unique<Impl>();
  impl->locations = locations;
  if (!h5::exists(file, kProcessor)) return ProcessorReader{std::move(impl)};
  MERIDIAN_TRY(impl->table, LongTableReader<MergedInterval>::open(file, kProcessor, kProcessorColumns));
  MERIDIAN_TRY_DO(read_column_table(file, kProcessorRanks, kProcessorRankColumns, impl->ranks));
  MERIDIAN_TRY_DO(check_ranks(impl->ranks, impl->table.size()));
  return ProcessorReader{std::move(impl)};
}

std::uint64_t ProcessorReader::size() const noexcept { return impl_->table.size(); }
const std::vector<ProcessorRank>& ProcessorReader::ranks() const noexcept { return impl_->ranks; }

Status ProcessorReader::read(std::uint64_t first, std::span<MergedInterval> rows) const {
  if (rows.empty()) return {};
  MERIDIAN_TRY_DO(impl_->table.read(first, rows));
  if (!std::ranges::all_of(rows, [this](const auto& row) { return is_possible_interval(row, impl_->locations); }))
    return damaged_merged("an interval without a processor is not possible");
  return {};
}

Result<std::uint64_t> ProcessorCursor::find(std::uint64_t first, std::uint64_t end, std::int64_t ns) const {
  while (first < end) {
    const std::uint64_t middle = first + (end - first) / 2;
    MergedInterval row;
    MERIDIAN_TRY_DO(reader_->read(middle, std::span{&row, 1}));
    if (row.end_ns < ns)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

Result<bool> ProcessorCursor::begin_rank() {
  const std::vector<ProcessorRank>& ranks = reader_->ranks();
  while (rank_ < ranks.size()) {
    const ProcessorRank& rank = ranks[rank_++];
    if (selection_.ranks && std::ranges::find(*selection_.ranks, rank.rank) == selection_.ranks->end()) continue;
    at_ = rank.first;
    end_ = rank.first + rank.count;
    if (selection_.from_ns != std::numeric_limits<std::int64_t>::min()) {
      MERIDIAN_TRY(at_, find(at_, end_, selection_.from_ns));
    }
    // One that begins before `to_ns` ends at most the longest one's length later.
    if (selection_.to_ns < kNoEndNs - rank.longest_ns) {
      MERIDIAN_TRY(end_, find(at_, end_, selection_.to_ns + rank.longest_ns));
    }
    if (at_ < end_) return true;
  }
  return false;
}

Result<bool> ProcessorCursor::next(std::vector<MergedInterval>& rows) {
  do {
    rows.clear();
    if (at_ == end_) {
      MERIDIAN_TRY(const bool has_more, begin_rank());
      if (!has_more) return false;
    }
    rows.resize(static_cast<std::size_t>(std::min(kIntervalsAtOnce, end_ - at_)));
    MERIDIAN_TRY_DO(reader_->read(at_, rows));
    at_ += rows.size();
    std::erase_if(rows, [this](const MergedInterval& row) { return row.begin_ns() >= selection_.to_ns; });
  } while (rows.empty());
  return true;
}

}  // namespace meridian
