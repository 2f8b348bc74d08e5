// SPDX-License-Identifier: Apache-2.0
#pragma once

// The values of a user event: 64-bit words, one for each field, but a text is its length in bytes and then its bytes. The definition
// of the event names the fields: "thief:i64 why:text".

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trace/model/event.hpp"

namespace meridian {

/// [UserKind]
inline constexpr std::string_view kUserKindNames[kUserKindCount] = {"",        "region", "marker", "event",
                                                                    "counter", "send",   "receive"};

/// The definition of a counter names no field: its value is of this one.
inline constexpr std::string_view kCounterField = "value:f64";

struct UserField {
  std::string name;
  std::string type;  ///< "i64", "u64", "f64", "text"
};

/// The fields in their order; a field without a type has an empty one.
inline std::vector<UserField> user_fields(std::string_view fields) {
  std::vector<UserField> list;
  while (!fields.empty()) {
    const std::size_t end = std::min(fields.find(' '), fields.size());
    const std::string_view field = fields.substr(0, end);
    const std::size_t colon = std::min(field.rfind(':'), field.size());
    if (!field.empty())
      list.push_back(
          {std::string{field.substr(0, colon)}, std::string{field.substr(std::min(colon + 1, field.size()))}});
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  return list;
}

/// Calls take(field, words) for each field that the event has words of: one, or those of a text with its length before it. Words that
/// the definition does not know, or that a damaged file lacks, are left out.
template <class Take>
void for_each_user_field(std::span<const UserField> fields, std::span<const std::uint64_t> words, Take take) {
  for (const UserField& field : fields) {
    if (words.empty() || field.type.empty()) return;
    std::uint64_t size = 1;
    if (field.type == "text")
      size += (std::min<std::uint64_t>(words[0], kMaxUserText) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    if (size > words.size()) return;
    take(field, words.first(static_cast<std::size_t>(size)));
    words = words.subspan(static_cast<std::size_t>(size));
  }
}

using UserValue = std::variant<std::int64_t, std::uint64_t, double, std::string>;

/// The value of a field from its words.
inline UserValue user_value(const UserField& field, std::span<const std::uint64_t> words) {
  if (field.type == "u64") return words[0];
  if (field.type == "f64") return std::bit_cast<double>(words[0]);
  if (field.type != "text") return static_cast<std::int64_t>(words[0]);
  const char* const bytes = reinterpret_cast<const char*>(words.data() + 1);
  return std::string{
      bytes, static_cast<std::size_t>(std::min<std::uint64_t>(words[0], (words.size() - 1) * sizeof(std::uint64_t)))};
}

}  // namespace meridian
