// SPDX-License-Identifier: Apache-2.0
#include "merged/link_table.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace meridian {

Result<LinkTable> LinkTable::open(hid_t file, MergedColumn step, MergedColumn completion, const MergedColumn* post,
                                  MergedColumn index, std::span<const Order> orders, std::uint64_t events) {
  MERIDIAN_TRY(LongBlock steps, LongBlock::open(file, step));
  MERIDIAN_TRY(LongBlock completions, LongBlock::open(file, completion));
  LinkTable table{std::move(steps), std::move(completions)};
  table.size_ = table.step_.size();
  table.events_ = events;
  const auto contradiction = [&] {
    return damaged_merged("column '" + std::string{info(step).path} + "' and those beside it contradict each other");
  };
  if (table.completion_.size() != table.size_) return contradiction();
  if (post != nullptr) {
    MERIDIAN_TRY(LongBlock posts, LongBlock::open(file, *post));
    if (posts.size() != table.size_) return contradiction();
    table.post_.push_back(std::move(posts));
  }
  MERIDIAN_TRY(table.first_, read_whole<std::int64_t>(file, info(index).path));
  if (table.first_.size() != table.step_.blocks()) return contradiction();
  for (const Order& order : orders) {
    Sorted& sorted = table.orders_.emplace_back();
    MERIDIAN_TRY(sorted.first_rows, read_whole<std::int64_t>(file, info(order.index).path));
    if (sorted.first_rows.size() != table.step_.blocks()) return contradiction();
    if (order.is_natural) continue;
    MERIDIAN_TRY(LongBlock places, LongBlock::open(file, order.places));
    if (places.size() != table.size_) return contradiction();
    sorted.places.push_back(std::move(places));
  }
  return table;
}

Result<const LinkTable::Block*> LinkTable::block(std::uint64_t number) {
  const auto kept = std::ranges::find(kept_, number, &Block::number);
  if (kept == kept_.begin() && kept != kept_.end()) return &kept_.front();
  if (kept != kept_.end()) {
    Block found = std::move(*kept);
    kept_.erase(kept);
    kept_.push_front(std::move(found));
    return &kept_.front();
  }
  MERIDIAN_TRY(const auto steps, step_.block(number));
  MERIDIAN_TRY(const auto completions, completion_.block(number));
  std::span<const std::int64_t> posts;
  if (!post_.empty()) {
    MERIDIAN_TRY(posts, post_.front().block(number));
  }
  Block made;
  if (kept_.size() == kKeptBlocks) {
    made = std::move(kept_.back());
    kept_.pop_back();
  }
  made.number = number;
  made.ends.resize(steps.size());
  std::uint64_t row = static_cast<std::uint64_t>(first_[static_cast<std::size_t>(number)]);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i != 0) row += static_cast<std::uint64_t>(steps[i]);
    const std::uint64_t completion = row + static_cast<std::uint64_t>(completions[i]);
    const std::uint64_t post = posts.empty() ? row : completion - static_cast<std::uint64_t>(posts[i]);
    if (row >= events_ || completion >= events_ || post >= events_)
      return damaged_merged("a message or collective refers to an event that is not there");
    made.ends[i] = {row, completion, post};
  }
  kept_.push_front(std::move(made));
  return &kept_.front();
}

Result<LinkTable::Ends> LinkTable::ends(std::uint64_t number) {
  if (number >= size_) return damaged_merged("a message or collective that is not there is referred to");
  MERIDIAN_TRY(const Block* const found, block(number / kIndexRows));
  return found->ends[static_cast<std::size_t>(number % kIndexRows)];
}

Result<std::uint64_t> LinkTable::number_at(std::size_t end, std::uint64_t place) {
  std::vector<LongBlock>& places = orders_[end].places;
  if (places.empty()) return place;
  MERIDIAN_TRY(const std::int64_t more, places.front().at(place));
  return place + static_cast<std::uint64_t>(more);
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
  std::uint64_t high = std::min(size_, low + kIndexRows);
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
