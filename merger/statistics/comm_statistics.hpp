// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merger/model/event_row.hpp"
#include "merger/statistics/compute_statistics.hpp"
#include "summary/summary.hpp"
#include "trace/definitions/communicators.hpp"

namespace meridian {

/// Adds up calls by communicator.
class CommStatistics {
 public:
  CommStatistics() = default;
  CommStatistics(std::size_t communicators, std::span<const NamedCall> calls);

  void add(const EventRow& row) noexcept { add(row, row.sent(), row.received()); }
  /// The same with other bytes: a row for several calls has no room for them.
  void add(const EventRow& row, std::uint64_t sent, std::uint64_t received) noexcept {
    add(row.comm, row.call, row.calls(), row.inside_ns(), sent, received);
  }
  /// `calls` of one function, which took `ns` together.
  void add(std::uint32_t comm, std::uint32_t call, std::uint64_t calls, std::int64_t ns, std::uint64_t sent,
           std::uint64_t received) noexcept {
    if (comm >= sums_.size()) return;  // kNoComm is the largest number
    Sums& at = sums_[comm];
    const auto kind = call < kinds_.size() ? kinds_[call] : kOther;
    at.calls[kind] += calls;
    at.time_ns[kind] += ns;
    at.bytes_sent += sent;
    at.bytes_received += received;
  }

  /// Totals of communicators, combined by name, kind and size, without user message layers.
  std::vector<CommSummary> summaries(const std::vector<Communicator>& list, const std::vector<Group>& groups) const;

 private:
  enum Kind : std::uint8_t { kP2p, kCollective, kOther, kKinds };
  struct Sums {
    std::uint64_t calls[kKinds] = {};
    std::int64_t time_ns[kKinds] = {};
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
  };
  std::vector<Kind> kinds_;  // [call]
  std::vector<Sums> sums_;   // [communicator]
};

}  // namespace meridian
