// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/table.hpp"

#include <algorithm>

#include "cli/summary/printable.hpp"

namespace meridian {
namespace {

constexpr std::size_t kGap = 1;
constexpr std::size_t kNarrowest = 8;  ///< of the column that is shortened first
constexpr std::size_t kShortest = 5;   ///< of any column: the minimum of shortened()

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::column_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  std::size_t total = kIndent;
  for (const std::size_t width : widths) total += width + kGap;
  total -= kGap;
  const auto elastic =
      std::find_if(columns_.begin(), columns_.end(), [](const Column& column) { return column.align == Align::left; });
  if (elastic != columns_.end() && total > kTextWidth) {
    std::size_t& width = widths[static_cast<std::size_t>(elastic - columns_.begin())];
    const std::size_t narrowed = std::min(width, std::max(kNarrowest, width - std::min(width, total - kTextWidth)));
    total -= width - narrowed;
    width = narrowed;
  }
  for (; total > kTextWidth; --total) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kShortest) break;
    --*widest;
  }
  // Remaining room is distributed between the columns.
  for (std::size_t c = 1; c < widths.size() && total < kTextWidth - widths.size(); ++c) ++widths[c], ++total;
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string result(kIndent, ' ');
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string cell = shortened(cells[c], std::max(widths[c], kShortest));
    const std::string fill(widths[c] - std::min(widths[c], display_width(cell)), ' ');
    if (c != 0) result += std::string(kGap, ' ');
    result += columns_[c].align == Align::left ? cell + fill : fill + cell;
  }
  result.resize(result.find_last_not_of(' ') == std::string::npos ? 0 : result.find_last_not_of(' ') + 1);
  return result;
}

}  // namespace meridian
