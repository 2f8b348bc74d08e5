// SPDX-License-Identifier: Apache-2.0
#include "merged/user_values.hpp"

#include <array>
#include <charconv>
#include <string>
#include <type_traits>

namespace meridian {

UserValues::UserValues(const MergedTrace& trace) : trace_{trace}, fields_(trace.definitions().calls.size()) {
  for (const MergedUserEvent& event : trace.definitions().user)
    if (event.call < fields_.size()) fields_[event.call] = user_fields(event.fields);
}

std::span<const UserField> UserValues::fields(std::uint32_t call) const {
  return call < fields_.size() ? std::span<const UserField>{fields_[call]} : std::span<const UserField>{};
}

Result<std::span<const NamedValue>> UserValues::of(const MergedEvent& event) {
  values_.clear();
  if (fields(event.call).empty()) return std::span<const NamedValue>{};
  MERIDIAN_TRY(const std::vector<std::uint64_t> words, trace_.user_words(event.row));
  for_each_user_field(fields(event.call), words, [&](const UserField& field, std::span<const std::uint64_t> own) {
    values_.push_back({&field, user_value(field, own)});
  });
  return std::span<const NamedValue>{values_};
}

std::string text_of(const UserValue& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return held;
        } else {
          std::array<char, 32> digits;
          const auto end = std::to_chars(digits.begin(), digits.end(), held);
          return std::string{digits.begin(), end.ptr};
        }
      },
      value);
}

std::string text_of(std::span<const NamedValue> values) {
  std::string text;
  for (const NamedValue& value : values) {
    if (!text.empty()) text += ' ';
    text.append(value.field->name).append("=").append(text_of(value.value));
  }
  return text;
}

}  // namespace meridian
