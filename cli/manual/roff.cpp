// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/roff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace meridian {
namespace {

/// Characters that roff would interpret, escaped: backslashes, hyphens (which it would typeset), quotes that become
/// typographic ones, and a dot or an apostrophe at the start of a line, which would make it a request.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '`')
      result += "\\(ga";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else if (c == '.' && (result.empty() || result.back() == '\n'))
      result += "\\&.";
    else
      result += c;
  }
  return result;
}

std::string escaped(const Line& line) {
  std::string result;
  for (const Span& span : line) {
    const std::string text = escaped(span.text);
    result += span.is_strong ? "\\fB" + text + "\\fR" : text;
  }
  return result;
}

std::string literal_block(const std::string& text) {
  std::string lines = escaped(text);
  if (!lines.ends_with('\n')) lines += '\n';
  return ".PP\n.RS 4\n.nf\n" + lines + ".fi\n.RE\n";
}

std::string tagged(const std::string& label, const std::string& text) { return ".TP\n" + label + "\n" + text + "\n"; }

std::string rows_of(const Block& table) {
  std::string result;
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    if (row.empty()) continue;
    std::string text;
    for (std::size_t c = 1; c < row.size(); ++c) {
      const std::string cell = escaped(row[c]);
      if (cell.empty()) continue;
      if (!text.empty()) text += "\n.br\n";
      const bool is_named = row.size() > 2 && c < table.rows.front().size();
      text += is_named ? escaped(table.rows.front()[c]) + ": " + cell : cell;
    }
    result += text.empty() ? ".PP\n" + escaped(row.front()) + "\n" : tagged(escaped(row.front()), text);
  }
  return result;
}

std::string section_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string block_of(const Block& block) {
  switch (block.kind) {
    case Block::Kind::heading:
      return block.level <= 2 ? ".SH " + escaped(section_name(text_of(block.line))) + "\n"
                              : ".SS " + escaped(text_of(block.line)) + "\n";
    case Block::Kind::paragraph:
      return ".PP\n" + escaped(block.line) + "\n";
    case Block::Kind::item: {
      const std::string label = block.label == "-" ? "\\(bu" : escaped(block.label);
      return fmt::format(".IP \"{}\" {}\n{}\n", label, 4 + 2 * block.level, escaped(block.line));
    }
    case Block::Kind::entry:
      return tagged("\\fB" + escaped(block.label) + "\\fR", escaped(block.line));
    case Block::Kind::literal:
      return literal_block(block.text);
    case Block::Kind::table:
      return block.rows.empty() ? "" : rows_of(block);
  }
  return "";
}

}  // namespace

std::string roff(const PageName& page, const Document& document) {
  std::string result = fmt::format(".TH \"{}\" \"{}\" \"\" \"Meridian {}\" \"Meridian\"\n.ad l\n.nh\n",
                                   escaped(section_name(page.name)), page.section, MERIDIAN_VERSION);
  for (const Block& block : document) result += block_of(block);
  return result;
}

}  // namespace meridian
