// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "merged/merged_trace.hpp"
#include "merged/model/processor.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// When threads were ready to run and had no processor, or when they slept. Memory is bounded: of more than kMost intervals, neighbours are added up,
/// and their time is then spread over the time between them as well.
class ReadyTimes {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 21;
  enum class Kind : std::uint8_t { ready, slept };

  ReadyTimes() = default;  ///< it is not known
  /// errors  damaged; io
  static Result<ReadyTimes> read(const MergedTrace& trace, std::size_t most = kMost, Kind kind = Kind::ready);

  bool is_known() const noexcept { return count_ != 0; }
  /// Such time of a location (MergedEvent::location) in [begin_ns, end_ns).
  std::int64_t between(std::uint32_t location, std::int64_t begin_ns, std::int64_t end_ns) const;
  /// Cuts [begin_ns, end_ns) into pieces with and without such time, in order. A sum of short intervals is one piece of each.
  using Piece = std::function<void(std::int64_t begin_ns, std::int64_t end_ns, bool is_ready)>;
  void cut(std::uint32_t location, std::int64_t begin_ns, std::int64_t end_ns, const Piece& piece) const;

 private:
  struct Interval {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t so_far_ns = 0;  // in this interval and those before it
  };
  using Intervals = std::vector<Interval>;  // by time, disjoint
  static std::int64_t until(const Intervals& intervals, std::int64_t t);
  static void halve(Intervals& intervals);
  void add(const MergedInterval& row);
  static void cut(std::span<const Intervals> kinds, std::int64_t begin_ns, std::int64_t end_ns, const Piece& piece);

  // [location]: single intervals, and sums of short ones, which may have single ones inside.
  std::vector<std::array<Intervals, 2>> locations_;
  std::size_t count_ = 0;
};

/// Both kinds of time without a processor.
struct AwayTimes {
  ReadyTimes ready, slept;

  /// errors  damaged; io
  static Result<AwayTimes> read(const MergedTrace& trace);
};

}  // namespace meridian
