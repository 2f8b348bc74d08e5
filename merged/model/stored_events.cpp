// SPDX-License-Identifier: Apache-2.0
#include "merged/model/stored_events.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "merged/model/merged_schema.hpp"

namespace meridian {
namespace {

/// `site` and `path` may be missing.
constexpr std::uint32_t kLocationColumn = 1U << 2;
static_assert(kEventTimeColumns.list[2].name == "location");
constexpr std::uint32_t kOptionalColumns = UINT32_MAX << kEventColumnsAlways;

}  // namespace

void order_by_location(std::span<const StoredTime> rows, std::vector<std::uint32_t>& order) {
  order.resize(rows.size());
  const auto place = [&](std::size_t row) { return static_cast<std::uint32_t>(rows[row].location); };
  std::uint32_t last = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) last = std::max(last, place(row));
  if (last >= kIndexRows) {  // in a damaged file, or with more threads than counting is worth
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return rows[row].location; });
    return;
  }
  std::vector<std::uint32_t> next(std::size_t{last} + 2);  // [location + 1] its rows; then [location] its next place
  for (std::size_t row = 0; row < rows.size(); ++row) ++next[place(row) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t row = 0; row < rows.size(); ++row) order[next[place(row)]++] = static_cast<std::uint32_t>(row);
}

Result<StoredEventWriter> StoredEventWriter::create(ColumnParent file, std::size_t columns) {
  MERIDIAN_TRY(auto times, LongTableWriter<StoredTime>::create(file, kEvents, kEventTimeColumns));
  MERIDIAN_TRY(auto events, LongTableWriter<StoredEvent>::create(
                                file, kEvents, std::span<const AnyColumn>{kEventColumns.list}.first(columns)));
  return StoredEventWriter{std::move(times), std::move(events)};
}

Status StoredEventWriter::store() {
  order_by_location(block_times_, order_);
  MERIDIAN_TRY_DO(times_.append(block_times_));
  piece_.clear();
  for (const std::uint32_t row : order_) {
    piece_.push_back(block_[row]);
    if (piece_.size() < kPieceRows) continue;
    MERIDIAN_TRY_DO(events_.append(piece_));
    piece_.clear();
  }
  MERIDIAN_TRY_DO(events_.append(piece_));
  block_times_.clear();
  block_.clear();
  return {};
}

Status StoredEventWriter::finish() {
  MERIDIAN_TRY_DO(store());
  MERIDIAN_TRY_DO(times_.finish());
  return events_.finish();
}

Result<StoredEventReader> StoredEventReader::open(hid_t file, std::uint32_t wanted, bool has_times) {
  MERIDIAN_TRY(auto times, LongTableReader<StoredTime>::open(file, kEvents, kEventTimeColumns,
                                                             has_times ? UINT32_MAX : kLocationColumn));
  MERIDIAN_TRY(auto events, LongTableReader<StoredEvent>::open(file, kEvents, kEventColumns, wanted, kOptionalColumns));
  if (times.size() != events.size()) return Error{Errc::damaged, "columns of events differ in length", ""};
  return StoredEventReader{std::move(times), std::move(events)};
}

Status StoredEventReader::read(std::uint64_t number) {
  const std::uint64_t first = number * kIndexRows;
  const auto count = static_cast<std::size_t>(std::min(size() - first, kIndexRows));
  block_.times.resize(count);
  block_.events.resize(count);
  block_.place.resize(count);
  for (std::size_t at = 0; at < count; at += kPieceRows) {
    const std::size_t rows = std::min(kPieceRows, count - at);
    MERIDIAN_TRY_DO(times_.read(first + at, std::span{block_.times}.subspan(at, rows)));
    MERIDIAN_TRY_DO(events_.read(first + at, std::span{block_.events}.subspan(at, rows)));
  }
  order_by_location(block_.times, order_);
  for (std::uint32_t k = 0; k < count; ++k) block_.place[order_[k]] = k;
  return {};
}

Result<const StoredEventReader::Block*> StoredEventReader::block(std::uint64_t number) {
  if (number == number_) return &block_;
  if (number * kIndexRows >= size()) return Error{Errc::damaged, "an event that is not there is referred to", ""};
  number_ = UINT64_MAX;
  MERIDIAN_TRY_DO(read(number));
  number_ = number;
  return &block_;
}

}  // namespace meridian
