// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text files that options name. Cold.

#include <string_view>

#include "pmpi/process/options.hpp"
#include "pmpi/process/session_state.hpp"
#include "trace/model/option_text.hpp"

namespace meridian {

inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes the next word off the line; empty: there is none.
inline std::string_view take_word(std::string_view& line) noexcept {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  std::size_t end = 0;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word{line.data(), end};
  line.remove_prefix(end);
  return word;
}

/// Passes every line of the file to take(line). False: the file cannot be read, reported on standard error if `report`,
/// or take() returned false for a line. Without a file name it does nothing.
template <class Take>
bool read_option_file(OptionId option, bool report, Take take) noexcept {
  const std::string_view path = g_session.options.path(option);
  if (path.empty()) return true;
  std::string_view text;
  if (!load_file(path, text)) {
    const std::string_view variable = kOptions[static_cast<std::size_t>(option)].variable;
    if (report)
      say("cannot read the file '%.*s' of %.*s", static_cast<int>(path.size()), path.data(),
          static_cast<int>(variable.size()), variable.data());
    return false;
  }
  bool is_good = true;
  while (!text.empty()) {
    const std::size_t end = find_char(text, '\n');
    is_good = take(std::string_view{text.data(), end}) && is_good;
    text.remove_prefix(end < text.size() ? end + 1 : end);
  }
  return is_good;
}

}  // namespace meridian
