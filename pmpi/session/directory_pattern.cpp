// SPDX-License-Identifier: Apache-2.0
#include "pmpi/session/directory_pattern.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmpi/process/launch.hpp"
#include "pmpi/process/session_state.hpp"

namespace meridian {
namespace {

class PatternText {
 public:
  PatternText(char* text, std::size_t room) noexcept : text_{text}, room_{room} { text_[0] = '\0'; }
  void add(std::string_view part) noexcept {
    const std::size_t bytes = part.size() < room_ - 1 - length_ ? part.size() : room_ - 1 - length_;
    memcpy(text_ + length_, part.data(), bytes);
    text_[length_ += bytes] = '\0';
  }
  void add(int number) noexcept {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    add(std::string_view{digits});
  }

 private:
  char* text_;
  std::size_t room_;
  std::size_t length_ = 0;
};

void add_variable(std::string_view name, PatternText& text) noexcept {
  char variable[256];
  snprintf(variable, sizeof variable, "%.*s", static_cast<int>(name.size()), name.data());
  const char* const value = getenv(variable);
  const bool is_set = value != nullptr && *value != '\0';
  if (!is_set) say("MERIDIAN_DIR names the variable '%s', which is not set", variable);
  text.add(is_set ? value : "unset");
}

void add_sign(char sign, PatternText& text) noexcept {
  char host[kNameBytes] = {};
  const char* const job = launched_job();
  switch (sign) {
    case 'h':
      gethostname(host, sizeof host - 1);
      return text.add(std::string_view{host});
    case 'r':
      return text.add(launched_rank() < 0 ? 0 : launched_rank());
    case 'j':
      return *job != '\0' ? text.add(std::string_view{job}) : text.add(getpid());
    case 'p':
      return text.add(getpid());
    case '%':
      return text.add(std::string_view{"%"});
    default:
      text.add(std::string_view{"%"});
      return text.add(std::string_view{&sign, 1});
  }
}

}  // namespace

void expand_pattern(std::string_view pattern, char* path, std::size_t room) noexcept {
  PatternText text{path, room};
  while (!pattern.empty()) {
    const auto* const percent = static_cast<const char*>(memchr(pattern.data(), '%', pattern.size()));
    const std::size_t plain = percent != nullptr ? static_cast<std::size_t>(percent - pattern.data()) : pattern.size();
    text.add(std::string_view{pattern.data(), plain});
    pattern.remove_prefix(plain);
    if (pattern.empty()) return;
    pattern.remove_prefix(1);
    const auto* const end = pattern.empty() || pattern[0] != '{'
                                ? nullptr
                                : static_cast<const char*>(memchr(pattern.data(), '}', pattern.size()));
    if (end != nullptr) {
      const auto bytes = static_cast<std::size_t>(end - pattern.data());
      add_variable({pattern.data() + 1, bytes - 1}, text);
      pattern.remove_prefix(bytes + 1);
    } else if (!pattern.empty()) {
      add_sign(pattern[0], text);
      pattern.remove_prefix(1);
    } else {
      text.add(std::string_view{"%"});
    }
  }
}

}  // namespace meridian
