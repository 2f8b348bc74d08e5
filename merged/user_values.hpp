// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "merged/merged_trace.hpp"
#include "trace/model/result.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian {

/// A value of a user event.
struct NamedValue {
  const UserField* field = nullptr;
  UserValue value;
};

/// The values of user events and counters with the names of their fields. The trace must outlive it.
class UserValues {
 public:
  explicit UserValues(const MergedTrace& trace);

  /// The fields of the events with this call number; none if they have no values.
  std::span<const UserField> fields(std::uint32_t call) const;
  /// The values of an event, in the order of its fields; until the next call. errors: damaged; io.
  Result<std::span<const NamedValue>> of(const MergedEvent& event);

 private:
  const MergedTrace& trace_;
  std::vector<std::vector<UserField>> fields_;  // [call]
  std::vector<NamedValue> values_;
};

/// "thief=3 why=full"
std::string text_of(std::span<const NamedValue> values);
/// 3, 0.25, or the text itself.
std::string text_of(const UserValue& value);

}  // namespace meridian
