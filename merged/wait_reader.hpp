// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "merged/link_table.hpp"
#include "merged/model/event_waits.hpp"

namespace meridian {

/// Reads /waits.
class WaitReader {
 public:
  /// events  rows that there are to refer to
  static Result<WaitReader> open(hid_t file, std::uint64_t events);

  /// Appends the waits of the events [first, last), by row.
  Status read(std::uint64_t first, std::uint64_t last, std::vector<EventWait>& waits);

 private:
  WaitReader(LinkTable links, LongTableReader<StoredWait> rows) : links_{std::move(links)}, rows_{std::move(rows)} {}

  LinkTable links_;
  LongTableReader<StoredWait> rows_;
};

/// Reads /awaited, which only files with such calls have.
class AwaitedReader {
 public:
  static Result<AwaitedReader> open(hid_t file, std::uint64_t events);

  /// Appends those of the events [first, last), by row.
  Status read(std::uint64_t first, std::uint64_t last, std::vector<EventAwaited>& awaited);

 private:
  AwaitedReader() = default;

  std::optional<LinkTable> links_;
  std::optional<LongTableReader<StoredAwaited>> rows_;
};

}  // namespace meridian
