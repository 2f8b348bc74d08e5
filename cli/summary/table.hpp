// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace meridian {

inline constexpr std::size_t kDefaultWidth = 80;  ///< columns of the text in a pipe or file
inline constexpr std::size_t kLeastWidth = 60;
inline constexpr std::size_t kMostWidth = 1000;
inline constexpr std::size_t kMostProse = 100;  ///< longer lines of sentences are hard to read
inline constexpr std::size_t kIndent = 2;       ///< of a line below its heading
inline constexpr std::size_t kTopRows = 10;     ///< rows of a list of which only the first ones are shown

enum class Align { left, right };

/// How a cell that is too long is shortened: shortened(), shortened_function(), shortened_path().
enum class Shortening { middle, function, path, place };

/// Columns of all texts: kDefaultWidth until it is set.
std::size_t text_width();
/// Columns of sentences.
std::size_t prose_width();
/// Called once, before anything is printed. Widths out of range are limited.
void set_text_width(std::size_t columns);

/// "all 7", "10 of 33": of a heading above some rows of a table.
std::string how_many(std::size_t shown, std::size_t all);

/// Aligned columns in at most text_width(). If the rows are too wide, the widest left-aligned columns are shortened,
/// then the widest of all.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::right;
    Shortening shortening = Shortening::middle;
  };

  explicit Table(std::vector<Column> columns) : columns_{std::move(columns)} {}
  /// One cell per column; missing ones are empty. Cells are printable() already.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// The title line as `paint_title(line)`, then the rows; each line begins with two blanks.
  template <class Paint>
  std::string text(Paint&& paint_title) const {
    const std::vector<std::size_t> widths = column_widths();
    std::vector<std::string> titles;
    for (const Column& column : columns_) titles.push_back(column.title);
    std::string result = paint_title(line(titles, widths)) + "\n";
    for (const auto& row : rows_) result += line(row, widths) + "\n";
    return result;
  }

 private:
  std::vector<std::size_t> column_widths() const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace meridian
