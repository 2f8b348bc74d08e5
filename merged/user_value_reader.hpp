// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "merged/link_table.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A word of the values of a user event.
struct EventWord {
  std::uint64_t row = 0;  ///< of the event
  std::uint64_t word = 0;
};

/// Reads /user_values, which only files with such values have.
class UserValueReader {
 public:
  /// events  rows that there are to refer to
  static Result<UserValueReader> open(hid_t file, std::uint64_t events);

  /// Appends those of the events [first, last), by row, those of one event in their order.
  Status read(std::uint64_t first, std::uint64_t last, std::vector<EventWord>& words);

 private:
  UserValueReader() = default;

  std::optional<LinkTable> links_;
  std::optional<LongTableReader<StoredWord>> rows_;
};

}  // namespace meridian
