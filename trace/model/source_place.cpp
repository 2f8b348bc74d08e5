// SPDX-License-Identifier: Apache-2.0
#include "trace/model/source_place.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace meridian {
namespace {

constexpr std::size_t kLongName = 48;  // of a function beside its line
constexpr std::string_view kRegion = " (parallel region)";
constexpr std::string_view kClone = " [clone ";  // the demangler's words for the marks of copies

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string hex(std::uint64_t value) {
  std::array<char, 16> digits{};
  return "0x" + std::string{digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr};
}

/// The begin of the last pair of brackets, which ends `name`; npos: it does not end with one.
std::size_t last_brackets(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(') --depth;
    if (depth == 0) return name[i] == '(' ? i : std::string_view::npos;
  }
  return std::string_view::npos;
}

/// The begin of the name behind its return type: after the last blank outside of all brackets.
std::size_t begin_of_name(std::string_view name) {
  if (name.find("operator") != std::string_view::npos) return 0;  // "operator new", "operator bool"
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')' || name[i] == '>') ++depth;
    if (name[i] == '(' || name[i] == '<') --depth;
    if (name[i] == ' ' && depth == 0) return i + 1;
  }
  return 0;
}

/// Without what follows the parameters of a member function.
std::string_view without_qualifiers(std::string_view name) {
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (const std::string_view qualifier : {" const", " volatile", " &", " &&"})
      if (name.ends_with(qualifier)) {
        name.remove_suffix(qualifier.size());
        is_shorter = true;
      }
  }
  return name;
}

/// Where the parameters of a function begin, which its name ends with; npos: it has none.
std::size_t begin_of_parameters(std::string_view name) {
  const std::string_view rest = without_qualifiers(name);
  const std::size_t at = last_brackets(rest);
  if (at == std::string_view::npos || at == 0) return std::string_view::npos;
  const std::string_view before = rest.substr(0, at);
  return before.ends_with("operator") || before.ends_with(' ') || before.ends_with("::") ? std::string_view::npos : at;
}

/// Where a compiler's mark begins; the end of `name`: it has none. Python's "Store.cold_start" has none.
std::size_t begin_of_mark(std::string_view name, std::string_view mark) {
  const std::size_t at = name.find(mark);
  if (at == std::string_view::npos) return name.size();
  const std::string_view rest = name.substr(at + mark.size());
  return rest.empty() || rest.front() == '.' || (rest.front() >= '0' && rest.front() <= '9') ? at : name.size();
}

}  // namespace

std::string without_copy_marks(std::string name) {
  for (const std::string_view mark : {"._omp_fn.", ".omp_outlined"})
    if (const std::size_t at = name.find(mark); at != std::string::npos && at != 0)
      return name.substr(0, std::min(at, name.find(kClone))) + " (parallel region)";
  name.resize(std::min(name.size(), name.find(kClone)));
  for (const std::string_view mark : {".constprop.", ".isra.", ".part.", ".cold", ".lto_priv."})
    name.resize(begin_of_mark(name, mark));
  return name;
}

std::string without_parameters(std::string_view name) {
  if (name.ends_with(kRegion))
    return without_parameters(name.substr(0, name.size() - kRegion.size())) + std::string{kRegion};
  const std::size_t parameters = begin_of_parameters(name);
  if (parameters == std::string_view::npos) return std::string{name};
  const std::string_view before = name.substr(0, parameters);
  return std::string{before.substr(begin_of_name(before))};
}

std::string shorten_templates(std::string_view name, std::size_t most) {
  if (name.size() <= most) return std::string{name};
  if (name.ends_with(kRegion))
    return shorten_templates(name.substr(0, name.size() - kRegion.size()), most) + std::string{kRegion};
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_operator = name.substr(0, i).ends_with("operator") || name.substr(0, i).ends_with("operator<") ||
                             name.substr(0, i).ends_with("operator-");
    if (name[i] == '<' && !is_operator && depth++ == 0) result += "<...>";
    if (depth == 0) result += name[i];
    if (name[i] == '>' && !is_operator && depth > 0) --depth;
  }
  const std::size_t parameters = result.size() > most ? begin_of_parameters(result) : std::string::npos;
  return parameters == std::string::npos ? result : result.substr(0, parameters) + "(...)";
}

bool is_header(std::string_view file) {
  constexpr std::array<std::string_view, 8> kEnds{".h", ".hpp", ".hh", ".hxx", ".h++", ".inl", ".tpp", ".ipp"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return file.ends_with(end); });
}

bool is_system_header(std::string_view file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
         file.starts_with("/usr/local/include/") || file.find("/include/c++/") != std::string_view::npos;
}

std::string line_text(const CodePlace& place) {
  if (place.line != 0) return std::string{base_name(place.file)} + ":" + std::to_string(place.line);
  if (place.module.empty()) return place.offset == 0 ? std::string{} : hex(place.offset);
  return std::string{base_name(place.module)} + "+" + hex(place.offset);
}

std::string place_text(const CodePlace& place) {
  std::string line = line_text(place);
  if (place.function.empty()) return line;
  const std::string name = without_parameters(without_copy_marks(std::string{place.function}));
  const std::string function = shorten_templates(name, kLongName);
  return line.empty() ? function : function + ", " + line;
}

}  // namespace meridian
