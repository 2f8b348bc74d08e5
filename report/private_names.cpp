// SPDX-License-Identifier: Apache-2.0
#include "report/private_names.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

namespace meridian {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Whether a name of a host or an address may have the character. Bytes of other alphabets count as letters.
bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.' || (c & 0x80) != 0; }
bool ends_path(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\'' || c == '"' || c == ')' || c == '(' || c == ',' || c == ';' ||
         c == ':' || c == '=' || c == '<' || c == '>';
}

/// "10.0.0.7"
bool is_address(std::string_view word) {
  std::size_t dots = 0, digits = 0;
  for (const char c : word) {
    if (c == '.' && digits == 0) return false;
    dots += c == '.' ? 1 : 0;
    digits = c == '.' ? 0 : digits + 1;
    if ((c != '.' && !is_digit(c)) || digits > 3) return false;
  }
  return dots == 3 && digits > 0;
}

/// "/home/user/app", "../app", "src/solver.c"; not "bytes/s".
bool is_path(std::string_view token) {
  const std::size_t slash = token.find_last_of('/');
  if (slash == std::string_view::npos || token.size() == 1) return false;
  const char first = token.front();
  return first == '/' || first == '.' || first == '~' || token.find('.', slash) != std::string_view::npos;
}

bool is_setting(std::string_view name) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"MERIDIAN_", "OMP_", "GOMP_", "KMP_"},
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

PrivateNames::PrivateNames(const Summary& summary) {
  for (const RankSummary& rank : summary.ranks) add_host(rank.host);
  for (const ContextSummary& rank : summary.context) add_host(rank.host);
}

void PrivateNames::add_host(const std::string& host) {
  if (host.empty() || !host_number(host).empty()) return;
  std::string number{"host"};
  number += std::to_string(hosts_.size() + 1);
  hosts_.emplace_back(host, std::move(number));
}

std::string_view PrivateNames::host_number(std::string_view word) const {
  for (const auto& [name, number] : hosts_)
    if (word == name || (word.size() < name.size() && name.starts_with(word) && name[word.size()] == '.') ||
        (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '.'))
      return number;
  return {};
}

void PrivateNames::append_words(std::string_view token, std::string& found) const {
  for (std::size_t at = 0; at < token.size();) {
    std::size_t end = at;
    while (end < token.size() && is_word(token[end])) ++end;
    if (end == at) {
      found += token[at++];
      continue;
    }
    std::string_view word = token.substr(at, end - at);
    while (word.ends_with('.')) word.remove_suffix(1);  // the end of a sentence
    const std::string_view number = host_number(word);
    found += !number.empty() ? number : is_address(word) ? std::string_view{"address"} : word;
    found.append(end - at - word.size(), '.');
    at = end;
  }
}

std::string PrivateNames::in(std::string_view text) const {
  std::string found;
  for (std::size_t at = 0; at < text.size();) {
    if (ends_path(text[at])) {
      found += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !ends_path(text[end])) ++end;
    std::string_view token = text.substr(at, end - at);
    at = end;
    if (is_path(token)) {
      while (token.size() > 1 && token.ends_with('/')) token.remove_suffix(1);
      token.remove_prefix(token.find_last_of('/') + 1);
    }
    append_words(token, found);
  }
  return found;
}

void PrivateNames::apply(Json& value) const {
  if (value.is_string()) value = in(value.get_ref<const std::string&>());
  if (value.is_structured())
    for (Json& part : value) apply(part);
}

void PrivateNames::apply_to_summary(Json& summary) const {
  if (const auto environment = summary.find("environment"); environment != summary.end())
    for (Json& row : *environment)
      if (!is_setting(row.value("name", ""))) row["value"] = "(left out)";
  apply(summary);
}

void PrivateNames::apply_to_timeline(Json& timeline) const {
  const auto of_rows = [&](const char* list, std::initializer_list<const char*> columns) {
    if (const auto rows = timeline.find(list); rows != timeline.end())
      for (Json& row : *rows)
        for (const char* column : columns)
          if (row.contains(column)) apply(row[column]);
  };
  of_rows("rows", {"host"});
  of_rows("colours", {"slots"});
  of_rows("waits", {"place"});
  of_rows("longest_calls", {"place"});
  for (const char* list : {"places", "calls"})
    if (timeline.contains(list)) apply(timeline[list]);
  for (const char* part : {"/members/names", "/clocks/names", "/matrix/hosts/names"})
    if (const Json::json_pointer names{part}; timeline.contains(names)) apply(timeline[names]);
}

}  // namespace meridian
