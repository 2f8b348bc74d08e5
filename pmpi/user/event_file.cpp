// SPDX-License-Identifier: Apache-2.0
// Declarations of user events: in the program's code ("NAME, i64(thief), text(why)"), and in MERIDIAN_EVENTS.

#include <string.h>

#include "pmpi/process/kept_memory.hpp"
#include "pmpi/process/option_file.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/user/definitions.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostFields = 8;
constexpr std::string_view kTypes[] = {"i64", "u64", "f64", "text"};
constexpr std::string_view kWords[] = {"level", "event"};

struct DeclaredLevel {
  std::string_view name;
  std::int64_t number;
  DeclaredLevel* next;
};
struct DeclaredEvent {
  std::string_view level;
  std::string_view name;
  std::string_view fields;  ///< "thief:i64 victim:i64"
  std::uint8_t count;
  std::uint8_t texts;
  int line;
  DeclaredEvent* next;
};
DeclaredLevel* g_levels = nullptr;
DeclaredEvent* g_events = nullptr;

/// Appends "name:type"; blanks and field separators are removed from the name.
void add_field(UserFields& fields, std::string_view name, std::string_view type) noexcept {
  if (fields.words == kMostFields || fields.bytes + name.size() + type.size() + 3 > sizeof fields.text ||
      name.empty()) {
    fields.is_valid = false;
    return;
  }
  if (fields.bytes != 0) fields.text[fields.bytes++] = ' ';
  for (const char c : name)
    if (!is_blank(c) && c != kUserSeparator) fields.text[fields.bytes++] = c == ':' ? '.' : c;
  fields.text[fields.bytes++] = ':';
  memcpy(fields.text + fields.bytes, type.data(), type.size());
  fields.bytes += type.size();
  if (type == "text") fields.texts = static_cast<std::uint8_t>(fields.texts | 1 << fields.words);
  ++fields.words;
}

/// Removes and returns the text before the next comma that is not inside brackets or quotes.
std::string_view take_argument(std::string_view& list) noexcept {
  std::size_t end = 0;
  int depth = 0;
  char quote = 0;
  for (; end < list.size(); ++end) {
    const char c = list[end];
    if (quote != 0) {
      if (c == '\\') ++end;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  if (end > list.size()) end = list.size();
  const std::string_view argument{list.data(), end};
  list.remove_prefix(end < list.size() ? end + 1 : end);
  return trim(argument);
}

bool is_name(std::string_view text) noexcept {
  for (const char c : text)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_' && c != '-')
      return false;
  return !text.empty();
}

const DeclaredEvent* find_event(std::string_view level, std::string_view name) noexcept {
  for (const DeclaredEvent* at = g_events; at != nullptr; at = at->next)
    if (at->level == level && at->name == name) return at;
  return nullptr;
}

/// One line of the file.
class Line {
 public:
  Line(std::string_view path, int number, bool report) noexcept : path_{path}, number_{number}, report_{report} {}

  /// Applies the line's declaration. False, with the reason printed, if that fails.
  bool take(std::string_view text) noexcept {
    text = {text.data(), find_char(text, '#')};
    const std::string_view word = take_word(text);
    if (word.empty()) return true;
    if (word == "level") return take_level(text);
    if (word == "event") return take_event(text);
    return refuse("there is no", word, nearest_name(word, kWords), "a line begins with level or event");
  }

 private:
  bool refuse(const char* what, std::string_view culprit, std::string_view near, const char* hint) const noexcept {
    if (!report_) return false;
    if (near.empty()) {
      say("%.*s:%d: %s '%.*s'; %s", static_cast<int>(path_.size()), path_.data(), number_, what,
          static_cast<int>(culprit.size()), culprit.data(), hint);
    } else {
      say("%.*s:%d: %s '%.*s'; did you mean '%.*s'?", static_cast<int>(path_.size()), path_.data(), number_, what,
          static_cast<int>(culprit.size()), culprit.data(), static_cast<int>(near.size()), near.data());
    }
    return false;
  }

  bool take_level(std::string_view rest) const noexcept {
    const std::string_view name = take_word(rest);
    const std::string_view number = take_word(rest);
    if (!is_name(name)) return refuse("this is not a valid name of a level:", name, {}, "write `level NAME NUMBER`");
    const ParsedOption parsed = parse_number(number);
    if (number.empty() || parsed.problem != TextProblem::none)
      return refuse("this is not a valid number of a level:", number, {}, "write `level NAME NUMBER`");
    if (const std::string_view more = take_word(rest); !more.empty())
      return refuse("too much:", more, {}, "write `level NAME NUMBER`");
    if (level_number(name) >= 0) return refuse("declared twice: level", name, {}, "remove one of the two");
    void* const memory = keep_bytes(sizeof(DeclaredLevel));
    if (memory == nullptr) return false;
    g_levels = new (memory) DeclaredLevel{name, parsed.number, g_levels};
    return true;
  }

  bool take_event(std::string_view rest) const noexcept {
    const std::string_view level = take_word(rest);
    const std::string_view name = take_word(rest);
    if (!is_name(name))
      return refuse("this is not a valid name of an event:", name, {}, "write `event LEVEL NAME field:type ...`");
    if (level_number(level) < 0)
      return refuse("not declared: level", level, nearest_level(level), "declare it before: `level NAME NUMBER`");
    if (find_event(level, name) != nullptr) return refuse("declared twice: event", name, {}, "remove one of the two");
    UserFields fields;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const std::size_t colon = find_char(word, ':');
      const std::string_view type{word.data() + colon, word.size() - colon};
      if (!is_name({word.data(), colon})) return refuse("this is not a field:", word, {}, "write NAME:TYPE");
      const std::string_view bare = type.empty() ? type : std::string_view{type.data() + 1, type.size() - 1};
      if (!is_user_type(bare))
        return refuse("this is not a type of a field:", bare, nearest_name(bare, kTypes),
                      "types are i64, u64, f64, text");
      add_field(fields, {word.data(), colon}, bare);
      if (!fields.is_valid) return refuse("too many fields, at", word, {}, "an event has 8 at most");
    }
    void* const memory = keep_bytes(sizeof(DeclaredEvent));
    if (memory == nullptr) return false;
    const std::string_view text = keep_text({fields.text, fields.bytes});
    g_events = new (memory) DeclaredEvent{level, name, text, fields.words, fields.texts, number_, g_events};
    return true;
  }

  static std::string_view nearest_level(std::string_view name) noexcept {
    std::string_view names[64];
    std::size_t count = 0;
    for (const DeclaredLevel* at = g_levels; at != nullptr && count < 64; at = at->next) names[count++] = at->name;
    return nearest_name(name, {names, count});
  }

  std::string_view path_;
  int number_;
  bool report_;
};

}  // namespace

bool is_user_type(std::string_view type) noexcept {
  for (const std::string_view known : kTypes)
    if (type == known) return true;
  return false;
}

void parse_user_fields(int kind, std::string_view text, UserFields& fields) noexcept {
  fields.name = take_argument(text);
  if (fields.name.empty()) fields.is_valid = false;
  while (!text.empty() && fields.is_valid) {
    const std::string_view argument = take_argument(text);
    if (kind == MERIDIAN_KIND_NUMBERS) {
      add_field(fields, argument, "i64");
      continue;
    }
    const std::size_t open = find_char(argument, '(');
    const std::string_view type = trim({argument.data(), open});
    fields.is_valid = is_user_type(type) && argument.size() > open + 1 && argument.back() == ')';
    if (fields.is_valid) add_field(fields, trim({argument.data() + open + 1, argument.size() - open - 2}), type);
  }
}

std::int64_t level_number(std::string_view level) noexcept {
  for (const DeclaredLevel* at = g_levels; at != nullptr; at = at->next)
    if (at->name == level) return at->number;
  return -1;
}

void take_declared_fields(int kind, std::string_view level, UserFields& fields) noexcept {
  const DeclaredEvent* const declared = find_event(level, fields.name);
  if (declared == nullptr || !fields.is_valid) return;
  bool fits = declared->count == fields.words && declared->texts == fields.texts;
  // Integers in the code have the types from the file, except doubles, which have another representation.
  if (kind == MERIDIAN_KIND_NUMBERS) {
    for (std::string_view rest = declared->fields; !rest.empty();) {
      const std::string_view field = take_item(rest, ' ');
      fits = fits && !(field.size() > 4 && std::string_view{field.data() + field.size() - 4, 4} == ":f64");
    }
  }
  if (!fits) {
    say("event %.*s.%.*s has other fields in the program than in line %d of MERIDIAN_EVENTS; the program's are taken",
        static_cast<int>(level.size()), level.data(), static_cast<int>(fields.name.size()), fields.name.data(),
        declared->line);
    return;
  }
  memcpy(fields.text, declared->fields.data(), declared->fields.size());
  fields.bytes = declared->fields.size();
}

bool read_user_file(bool report) noexcept {
  const std::string_view path = g_session.options.path(OptionId::events);
  int number = 0;
  return read_option_file(OptionId::events, report, [&](auto line) { return Line{path, ++number, report}.take(line); });
}

}  // namespace meridian
