// SPDX-License-Identifier: Apache-2.0
#pragma once

// A text of the manual, made of blocks: read from Markdown or made from the description of a command, written as lines
// for a terminal, as a manual page or as Markdown.

#include <string>
#include <utility>
#include <vector>

namespace meridian {

/// A part of a line; `is_strong` for what is typed as it stands: names of commands, options, files.
struct Span {
  std::string text;
  bool is_strong = false;
};
using Line = std::vector<Span>;

struct Block {
  enum class Kind {
    heading,    ///< `line`; `level` from 1, the title of the document
    paragraph,  ///< `line`
    item,       ///< `line`, of a list; `level` from 0; `label`: its number, or "-"
    entry,      ///< `label` with its explanation, `line`
    literal,    ///< `text`, printed as it is
    table,      ///< `rows`; the first one has the names of the columns
  };
  Kind kind{};
  Line line{};
  std::string label{};
  std::string text{};
  int level = 0;
  std::vector<std::vector<Line>> rows{};
};
using Document = std::vector<Block>;

inline Line plain(std::string text) { return {{std::move(text), false}}; }
inline Line strong(std::string text) { return {{std::move(text), true}}; }
inline Block heading(int level, std::string text) {
  return {.kind = Block::Kind::heading, .line = plain(std::move(text)), .level = level};
}
inline Block paragraph(Line line) { return {.kind = Block::Kind::paragraph, .line = std::move(line)}; }
inline Block literal(std::string text) { return {.kind = Block::Kind::literal, .text = std::move(text)}; }
inline Block entry(std::string label, std::string text) {
  return {.kind = Block::Kind::entry, .line = plain(std::move(text)), .label = std::move(label)};
}

/// The text without its emphasis.
inline std::string text_of(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.text;
  return text;
}

}  // namespace meridian
