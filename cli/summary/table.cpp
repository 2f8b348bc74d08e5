// SPDX-License-Identifier: Apache-2.0
#include "cli/summary/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"

namespace meridian {
namespace {

constexpr std::size_t kBetweenColumns = 1;
constexpr std::size_t kNarrowest = 8;  ///< of the columns that are shortened first
constexpr std::size_t kShortest = 5;   ///< of any column: the minimum of shortened()

std::size_t g_text_width = kDefaultWidth;

std::string cut_to(std::string_view cell, std::size_t width, Shortening how) {
  return how == Shortening::function ? shortened_function(cell, width)
         : how == Shortening::path   ? shortened_path(cell, width)
         : how == Shortening::place  ? shortened_place(cell, width)
                                     : shortened(cell, width);
}

}  // namespace

std::string how_many(std::size_t shown, std::size_t all) {
  return shown == all ? fmt::format("all {}", all) : fmt::format("{} of {}", shown, all);
}

std::size_t text_width() { return g_text_width; }

std::size_t prose_width() { return std::min(g_text_width, kMostProse); }

void set_text_width(std::size_t columns) { g_text_width = std::clamp(columns, kLeastWidth, kMostWidth); }

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
  for (const std::size_t width : widths) total += width + kBetweenColumns;
  total -= kBetweenColumns;
  const auto narrow = [&](std::size_t shortest, bool any_column) {
    while (total > text_width()) {
      std::size_t* widest = nullptr;
      for (std::size_t c = 0; c < widths.size(); ++c)
        if ((any_column || columns_[c].align == Align::left) && widths[c] > shortest &&
            (widest == nullptr || widths[c] > *widest))
          widest = &widths[c];
      if (widest == nullptr) return;
      --*widest;
      --total;
    }
  };
  narrow(kNarrowest, false);
  narrow(kShortest, true);
  // Remaining room is distributed between the columns.
  for (std::size_t c = 1; c < widths.size() && total < text_width() - std::min(text_width(), widths.size()); ++c)
    ++widths[c], ++total;
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string result(kIndent, ' ');
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string cell = cut_to(cells[c], std::max(widths[c], kShortest), columns_[c].shortening);
    const std::string fill(widths[c] - std::min(widths[c], display_width(cell)), ' ');
    if (c != 0) result += std::string(kBetweenColumns, ' ');
    result += columns_[c].align == Align::left ? cell + fill : fill + cell;
  }
  result.resize(result.find_last_not_of(' ') == std::string::npos ? 0 : result.find_last_not_of(' ') + 1);
  return result;
}

}  // namespace meridian
