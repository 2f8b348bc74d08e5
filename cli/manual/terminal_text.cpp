// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"

namespace meridian {
namespace {

constexpr std::size_t kStep = 2;  ///< of what is below something
constexpr std::size_t kColumnGap = 2;

/// `label` at `indent`, and the text from `column` on: beside it if there is room, else below.
std::string labelled(const std::string& label, const Line& line, std::size_t indent, std::size_t column) {
  std::string lines = wrapped(text_of(line), column, prose_width());
  const std::string shown = std::string(indent, ' ') + label;
  const std::size_t width = display_width(shown);
  if (width < column && lines.size() > column) return lines.replace(0, width, shown);
  return fmt::format("{}\n{}", shown, lines);
}

/// Aligned columns; empty if they are too wide.
std::string aligned(const Block& table, const Paint& paint) {
  std::vector<std::size_t> widths;
  for (const auto& row : table.rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(text_of(row[c])));
  }
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + kColumnGap;
  if (total > text_width()) return "";
  std::string result;
  for (const auto& row : table.rows) {
    std::string line(kStep, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string cell = text_of(row[c]);
      line += cell;
      if (c + 1 < row.size()) line.append(widths[c] + kColumnGap - display_width(cell), ' ');
    }
    result += &row == &table.rows.front() ? paint.title(line) : line;
    result += '\n';
  }
  return result;
}

/// The first cell, and the others below it, each after the name of its column.
std::string row_by_row(const Block& table) {
  std::string result;
  const auto& names = table.rows.front();
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    if (row.empty()) continue;
    result += wrapped(text_of(row.front()), kStep, prose_width());
    for (std::size_t c = 1; c < row.size(); ++c) {
      const std::string cell = text_of(row[c]);
      if (cell.empty()) continue;
      const bool is_named = row.size() > 2 && c < names.size() && !names[c].empty();
      result += wrapped(is_named ? fmt::format("{}: {}", text_of(names[c]), cell) : cell, 3 * kStep, prose_width());
    }
  }
  return result;
}

std::string indented(const std::string& text, std::size_t indent) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) result.append(indent, ' ').append(text, at, end - at);
    result += '\n';
    at = end + 1;
  }
  return result;
}

std::string text_of_block(const Block& block, const Paint& paint) {
  const std::size_t indent = kStep * static_cast<std::size_t>(block.level);
  switch (block.kind) {
    case Block::Kind::heading:
      return paint.heading(text_of(block.line)) + "\n";
    case Block::Kind::paragraph:
      return wrapped(text_of(block.line), 0, prose_width());
    case Block::Kind::item:
      return labelled(block.label, block.line, indent, indent + block.label.size() + 1);
    case Block::Kind::entry:
      return labelled(block.label, block.line, kStep, 24);
    case Block::Kind::literal:
      return indented(block.text, 2 * kStep);
    case Block::Kind::table:
      break;
  }
  if (block.rows.empty()) return "";
  const std::string text = aligned(block, paint);
  return text.empty() ? row_by_row(block) : text;
}

/// Items and entries of one list are not separated by empty lines.
bool are_together(const Block& before, const Block& after) {
  return before.kind == after.kind && (after.kind == Block::Kind::item || after.kind == Block::Kind::entry);
}

}  // namespace

std::string terminal_text(const Document& document, const Paint& paint) {
  std::string result;
  const Block* before = nullptr;
  for (const Block& block : document) {
    if (before != nullptr && !are_together(*before, block)) result += "\n";
    result += text_of_block(block, paint);
    before = &block;
  }
  return result;
}

}  // namespace meridian
