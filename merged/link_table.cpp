// SPDX-License-Identifier: Apache-2.0
#include "merged/link_table.hpp"

#include <algorithm>
#include <utility>

namespace meridian {
namespace {

Error contradiction() { return damaged_merged("the orders of messages, collectives or waits contradict the tables"); }

}  // namespace

Result<LinkTable> LinkTable::open_messages(hid_t file, std::uint64_t events) {
  const Order orders[] = {
      {&kIndexSend, nullptr}, {&kIndexCompletion, &kMessagesByCompletion}, {&kIndexPost, &kMessagesByPost}};
  return open(file, kMessages, kMessageLinkColumns, true, kIndexSend, orders, events);
}

Result<LinkTable> LinkTable::open_parts(hid_t file, std::uint64_t events) {
  const Order orders[] = {{&kIndexByStart, &kPartsByStart}, {&kIndexByCompletion, &kPartsByCompletion}};
  return open(file, kParts, kPartLinkColumns, false, kIndexPartStart, orders, events);
}

Result<LinkTable> LinkTable::open_waits(hid_t file, std::uint64_t events) {
  const Order orders[] = {{&kIndexWait, nullptr}};
  return open(file, kWaits, kWaitLinkColumns, false, kIndexWait, orders, events);
}

Result<LinkTable> LinkTable::open_user_values(hid_t file, std::uint64_t events) {
  const Order orders[] = {{&kIndexUserValue, nullptr}};
  return open(file, kUserValues, kUserValueLinkColumns, false, kIndexUserValue, orders, events);
}

Result<LinkTable> LinkTable::open_awaited(hid_t file, std::uint64_t events) {
  const Order orders[] = {{&kIndexAwaited, nullptr}};
  return open(file, kAwaited, kAwaitedLinkColumns, false, kIndexAwaited, orders, events);
}

Result<LinkTable> LinkTable::open(hid_t file, const char* group, std::span<const AnyColumn> columns, bool has_post,
                                  const NumberColumn& index, std::span<const Order> orders, std::uint64_t events) {
  MERIDIAN_TRY(auto links, LongTableReader<StoredLink>::open(file, group, columns));
  LinkTable table{std::move(links)};
  table.has_post_ = has_post;
  table.events_ = events;
  const std::uint64_t blocks = blocks_of(table.size());
  MERIDIAN_TRY(table.first_, read_index(file, index, blocks));
  table.before_.resize(static_cast<std::size_t>(blocks));
  for (const Order& order : orders) {
    Sorted& sorted = table.orders_.emplace_back();
    MERIDIAN_TRY(sorted.first_rows, read_index(file, *order.index, blocks));
    if (order.places == nullptr) continue;
    MERIDIAN_TRY(NumberReader places, open_numbers(file, *order.places));
    if (places.size() != table.size()) return contradiction();
    sorted.places.push_back(std::move(places));
  }
  return table;
}

/// Event row of the row before a piece: what its first step is added to.
Result<std::uint64_t> LinkTable::row_before(std::uint64_t piece) {
  const auto block = static_cast<std::size_t>(piece / kPiecesPerBlock);
  std::vector<std::uint64_t>& before = before_[block];
  if (before.empty()) {
    std::vector<std::uint64_t> found;
    std::uint64_t row = static_cast<std::uint64_t>(first_[block]);
    const std::uint64_t end = std::min(links_.pieces(), (block + 1) * kPiecesPerBlock);
    for (std::uint64_t i = block * kPiecesPerBlock; i < end; ++i) {
      MERIDIAN_TRY(const auto links, links_.piece(i));
      if (found.empty()) row -= static_cast<std::uint64_t>(links.front().step);  // the index has its first row
      found.push_back(row);
      for (const StoredLink& link : links) row += static_cast<std::uint64_t>(link.step);
    }
    before = std::move(found);
  }
  return before[static_cast<std::size_t>(piece % kPiecesPerBlock)];
}

Result<const std::vector<LinkTable::Ends>*> LinkTable::piece(std::uint64_t number) {
  if (const auto* const kept = kept_.find(number)) return kept;
  MERIDIAN_TRY(std::uint64_t row, row_before(number));
  MERIDIAN_TRY(const auto links, links_.piece(number));
  std::vector<Ends>& made = kept_.room();
  made.reserve(kPieceRows);
  for (const StoredLink& link : links) {
    row += static_cast<std::uint64_t>(link.step);
    const std::uint64_t completion = row + static_cast<std::uint64_t>(link.completion);
    const std::uint64_t post = has_post_ ? completion - static_cast<std::uint64_t>(link.post) : row;
    if (row >= events_ || completion >= events_ || post >= events_)
      return damaged_merged("a message, collective or wait refers to an event that is not there");
    made.push_back({row, completion, post});
  }
  kept_.keep(number);
  return &made;
}

Result<LinkTable::Ends> LinkTable::ends(std::uint64_t number) {
  if (number >= size()) return damaged_merged("a message, collective or wait that is not there is referred to");
  MERIDIAN_TRY(const auto* const found, piece(number / kPieceRows));
  return (*found)[static_cast<std::size_t>(number % kPieceRows)];
}

Result<std::uint64_t> LinkTable::number_at(std::size_t end, std::uint64_t place) {
  std::vector<NumberReader>& places = orders_[end].places;
  if (places.empty()) return place;
  MERIDIAN_TRY(const std::int64_t* const more, places.front().at(place));
  return place + static_cast<std::uint64_t>(*more);
}

Result<std::uint64_t> LinkTable::row_at(std::size_t end, std::uint64_t place) {
  MERIDIAN_TRY(const std::uint64_t number, number_at(end, place));
  MERIDIAN_TRY(const Ends found, ends(number));
  return found[end];
}

Result<std::uint64_t> LinkTable::lower_bound(std::size_t end, std::uint64_t row) {
  const std::vector<std::int64_t>& first_rows = orders_[end].first_rows;
  const auto after = std::ranges::lower_bound(first_rows, row, {},
                                              [](std::int64_t first) { return static_cast<std::uint64_t>(first); });
  if (after == first_rows.begin()) return std::uint64_t{0};
  std::uint64_t low = static_cast<std::uint64_t>(after - first_rows.begin() - 1) * kIndexRows;
  std::uint64_t high = std::min(size(), low + kIndexRows);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    MERIDIAN_TRY(const std::uint64_t found, row_at(end, middle));
    if (found < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace meridian
