// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "merged/kept_pieces.hpp"
#include "merged/read_numbers.hpp"

namespace meridian {

/// A table whose rows refer to rows of events: /messages, /parts, /waits, /awaited or /user_values. Its rows can be read in the order of each end.
class LinkTable {
 public:
  static constexpr std::size_t kMostEnds = 3;
  using Ends =
      std::array<std::uint64_t, kMostEnds>;  ///< event rows: send, completion, post; start, completion; call, causer

  /// events  rows that there are to refer to
  static Result<LinkTable> open_messages(hid_t file, std::uint64_t events);
  static Result<LinkTable> open_parts(hid_t file, std::uint64_t events);
  static Result<LinkTable> open_waits(hid_t file, std::uint64_t events);
  static Result<LinkTable> open_awaited(hid_t file, std::uint64_t events);
  static Result<LinkTable> open_user_values(hid_t file, std::uint64_t events);

  std::uint64_t size() const noexcept { return links_.size(); }
  Result<Ends> ends(std::uint64_t number);
  /// Number of the row at this place in the order of an end.
  Result<std::uint64_t> number_at(std::size_t end, std::uint64_t place);
  /// The first place in that order whose event row is at least `row`.
  Result<std::uint64_t> lower_bound(std::size_t end, std::uint64_t row);

 private:
  /// One end: where to find the order by it.
  struct Order {
    const NumberColumn* index;
    const NumberColumn* places;  ///< null: the table is in this order
  };
  struct Sorted {
    std::vector<std::int64_t> first_rows;  // [block]
    std::vector<NumberReader> places;      // none: as the table is
  };

  explicit LinkTable(LongTableReader<StoredLink> links) : links_{std::move(links)} {}
  static Result<LinkTable> open(hid_t file, const char* group, std::span<const AnyColumn> columns, bool has_post,
                                const NumberColumn& index, std::span<const Order> orders, std::uint64_t events);
  Result<std::uint64_t> row_before(std::uint64_t piece);
  Result<const std::vector<Ends>*> piece(std::uint64_t number);
  Result<std::uint64_t> row_at(std::size_t end, std::uint64_t place);

  LongTableReader<StoredLink> links_;
  bool has_post_ = false;
  std::uint64_t events_ = 0;
  std::vector<std::int64_t> first_;                 // [block]: event row of its first row
  std::vector<std::vector<std::uint64_t>> before_;  // [block][piece of it]: event row of the row before; empty: unknown
  std::vector<Sorted> orders_;                      // [end]
  KeptPieces<Ends> kept_;
};

}  // namespace meridian
