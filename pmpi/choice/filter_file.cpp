// SPDX-License-Identifier: Apache-2.0
// MERIDIAN_FILTER: Score-P's filter grammar, for the names of calls and user events.

#include <fnmatch.h>
#include <string.h>

#include <new>

#include "pmpi/choice/choice.hpp"
#include "pmpi/process/kept_memory.hpp"
#include "pmpi/process/option_file.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/user/definitions.hpp"

namespace meridian {
namespace {

struct FilterRule {
  const char* pattern;  ///< for fnmatch()
  bool is_include;
  FilterRule* next;
};
FilterRule* g_first_rule = nullptr;
FilterRule* g_last_rule = nullptr;

bool add_rule(std::string_view pattern, bool is_include) noexcept {
  auto* const text = static_cast<char*>(keep_bytes(pattern.size() + 1));
  void* const memory = keep_bytes(sizeof(FilterRule));
  if (text == nullptr || memory == nullptr) return false;
  memcpy(text, pattern.data(), pattern.size());
  auto* const rule = new (memory) FilterRule{text, is_include, nullptr};
  (g_first_rule == nullptr ? g_first_rule : g_last_rule->next) = rule;
  g_last_rule = rule;
  return true;
}

/// Reads the lines of a filter file in order.
class FilterReader {
 public:
  FilterReader(std::string_view path, bool report) noexcept : path_{path}, report_{report} {}

  bool take(std::string_view line) noexcept {
    ++number_;
    line = {line.data(), find_char(line, '#')};
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
      if (!take_item(word)) return false;
    return true;
  }
  bool end() const noexcept { return block_ == Block::none || refuse("this block has no end:", begin_of(block_)); }

 private:
  enum class Block { none, regions, files };

  static std::string_view begin_of(Block block) noexcept {
    return block == Block::regions ? "SCOREP_REGION_NAMES_BEGIN" : "SCOREP_FILE_NAMES_BEGIN";
  }

  bool take_item(std::string_view word) noexcept {
    const Block opened = word == begin_of(Block::regions) ? Block::regions
                         : word == begin_of(Block::files) ? Block::files
                                                          : Block::none;
    if (opened != Block::none) {
      if (block_ != Block::none) return refuse("this block begins inside of another:", word);
      block_ = opened;
      has_keyword_ = false;
      return true;
    }
    const bool ends_regions = word == "SCOREP_REGION_NAMES_END";
    if (ends_regions || word == "SCOREP_FILE_NAMES_END") {
      if (block_ != (ends_regions ? Block::regions : Block::files)) return refuse("this ends no block:", word);
      block_ = Block::none;
      return true;
    }
    if (block_ == Block::none) return refuse("this stands outside of a block:", word);
    if (word == "INCLUDE" || word == "EXCLUDE") {
      is_include_ = word == "INCLUDE";
      has_keyword_ = true;
      return true;
    }
    if (word == "MANGLED") return true;  // names have only one form here
    if (!has_keyword_) return refuse("INCLUDE or EXCLUDE is missing before", word);
    return block_ == Block::files || add_rule(word, is_include_);  // MPI functions and regions have no file
  }

  bool refuse(const char* what, std::string_view word) const noexcept {
    if (report_)
      say("%.*s:%d: %s '%.*s'", static_cast<int>(path_.size()), path_.data(), number_, what,
          static_cast<int>(word.size()), word.data());
    return false;
  }

  std::string_view path_;
  bool report_;
  int number_ = 0;
  Block block_ = Block::none;
  bool has_keyword_ = false;
  bool is_include_ = false;
};

}  // namespace

bool read_filter_file(bool report) noexcept {
  FilterReader reader{g_session.options.path(OptionId::filter), report};
  const bool is_good = read_option_file(OptionId::filter, report, [&](auto line) { return reader.take(line); });
  return reader.end() && is_good;
}

bool is_filtered(std::string_view name) noexcept {
  if (g_first_rule == nullptr) return false;
  char text[256];
  const std::size_t length = name.size() < sizeof text ? name.size() : sizeof text - 1;
  memcpy(text, name.data(), length);
  text[length] = '\0';
  bool is_included = true;
  for (const FilterRule* rule = g_first_rule; rule != nullptr; rule = rule->next)
    if (rule->is_include != is_included && fnmatch(rule->pattern, text, 0) == 0) is_included = rule->is_include;
  return !is_included;
}

}  // namespace meridian
