// SPDX-License-Identifier: Apache-2.0
#include "merged/sample_reader.hpp"

#include <algorithm>
#include <utility>

#include "merged/read_numbers.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kCursorRows = 4096;

Status check(const SampleNames& names, std::uint64_t samples, std::size_t locations) {
  std::uint64_t expected = 0;
  for (const SampleRank& rank : names.ranks) {
    if (rank.first != expected || rank.count > samples - expected)
      return damaged_merged("the ranks of samples contradict them");
    expected += rank.count;
  }
  if (expected != samples) return damaged_merged("the ranks of samples contradict them");
  for (const SampleThread& thread : names.threads)
    if (thread.location >= locations) return damaged_merged("a sampled thread is not there");
  if (names.modules.empty() || names.places.empty() || names.paths.size() < kPathsWithoutPlace)
    return damaged_merged("the names of samples are incomplete");
  for (const SamplePlace& place : names.places)
    if (place.module >= names.modules.size()) return damaged_merged("a sampled place has a file that is not there");
  for (std::size_t i = 0; i < names.paths.size(); ++i)
    if (names.paths[i].parent >= std::max<std::size_t>(i, 1) || names.paths[i].place >= names.places.size())
      return damaged_merged("a sampled path contradicts those before it");
  return {};
}

}  // namespace

struct SampleReader::Impl {
  LongTableReader<MergedSample> table;
  SampleNames names;
  std::size_t locations = 0;
};

SampleReader::SampleReader(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
SampleReader::SampleReader(SampleReader&&) noexcept = default;
SampleReader& SampleReader::operator=(SampleReader&&) noexcept = default;
SampleReader::~SampleReader() = default;

Result<SampleReader> SampleReader::open(std::int64_t id, std::size_t locations) {
  const h5::Quiet quiet;
  const auto file = static_cast<hid_t>(id);
  auto impl = std::make_unique<Impl>();
  impl->locations = locations;
  if (!h5::exists(file, kSamples)) return SampleReader{std::move(impl)};
  SampleNames& names = impl->names;
  MERIDIAN_TRY(impl->table, LongTableReader<MergedSample>::open(file, kSamples, kSampleColumns));
  MERIDIAN_TRY_DO(read_column_table(file, kSampleRanks, kSampleRankColumns, names.ranks));
  MERIDIAN_TRY_DO(read_column_table(file, kSampleThreads, kSampleThreadColumns, names.threads));
  MERIDIAN_TRY_DO(read_column_table(file, kSampleModules, kSampleModuleColumns, names.modules));
  MERIDIAN_TRY_DO(read_column_table(file, kSamplePlaces, kSamplePlaceColumns, names.places));
  MERIDIAN_TRY_DO(read_column_table(file, kSamplePaths, kSamplePathColumns, names.paths));
  MERIDIAN_TRY_DO(check(names, impl->table.size(), locations));
  return SampleReader{std::move(impl)};
}

std::uint64_t SampleReader::size() const noexcept { return impl_->table.size(); }
const SampleNames& SampleReader::names() const noexcept { return impl_->names; }

Status SampleReader::read(std::uint64_t first, std::span<MergedSample> rows) const {
  if (rows.empty()) return {};
  MERIDIAN_TRY_DO(impl_->table.read(first, rows));
  for (const MergedSample& row : rows)
    if (row.location < 0 || static_cast<std::size_t>(row.location) >= impl_->locations || row.path < 0 ||
        static_cast<std::size_t>(row.path) >= impl_->names.paths.size())
      return damaged_merged("a sample has a thread or a path that is not there");
  return {};
}

Result<std::uint64_t> SampleCursor::find(std::uint64_t first, std::uint64_t end, std::int64_t ns) const {
  while (first < end) {
    const std::uint64_t middle = first + (end - first) / 2;
    MergedSample row;
    MERIDIAN_TRY_DO(reader_->read(middle, std::span{&row, 1}));
    if (row.time_ns < ns)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

Result<bool> SampleCursor::begin_rank() {
  const std::vector<SampleRank>& ranks = reader_->names().ranks;
  while (rank_ < ranks.size()) {
    const SampleRank& rank = ranks[rank_++];
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

Result<bool> SampleCursor::next(std::vector<MergedSample>& rows) {
  rows.clear();
  if (at_ == end_) {
    MERIDIAN_TRY(const bool has_more, begin_rank());
    if (!has_more) return false;
  }
  rows.resize(static_cast<std::size_t>(std::min(kCursorRows, end_ - at_)));
  MERIDIAN_TRY_DO(reader_->read(at_, rows));
  at_ += rows.size();
  return true;
}

}  // namespace meridian
