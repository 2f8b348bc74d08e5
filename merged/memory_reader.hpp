// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "merged/model/memory.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Selects readings of the memory.
struct MemorySelection {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  ///< earlier ones are left out
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();    ///< those at that time or later are left out
  std::optional<std::vector<std::int32_t>> ranks{};                 ///< nullopt: all
};

/// Reads the memory of processes over time from a merged file; made by MergedTrace::memory(). Not thread-safe.
class MemoryReader {
 public:
  /// `file`: HDF5 file (hid_t) that stays open. A file without readings has an empty table.
  /// errors  damaged; io
  static Result<MemoryReader> open(std::int64_t file);
  MemoryReader(MemoryReader&&) noexcept;
  MemoryReader& operator=(MemoryReader&&) noexcept;
  ~MemoryReader();

  std::uint64_t size() const noexcept;
  /// The ranks whose memory was read.
  const std::vector<MemoryRank>& ranks() const noexcept;
  /// Reads rows [first, first + rows.size()), which must be there. errors: damaged; io
  Status read(std::uint64_t first, std::span<MergedMemory> rows) const;

 private:
  struct Impl;
  explicit MemoryReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads selected readings, rank after rank, each in order of time. The reader must outlive it.
class MemoryCursor {
 public:
  MemoryCursor(const MemoryReader& reader, MemorySelection selection)
      : reader_{&reader}, selection_{std::move(selection)} {}

  /// Replaces the rows by the next ones, all of one rank; false: there are none. errors: damaged; io
  Result<bool> next(std::vector<MergedMemory>& rows);
  /// The rank of the rows.
  std::int32_t rank() const noexcept { return reader_->ranks()[rank_ - 1].rank; }

 private:
  /// Goes to the next selected rank.
  Result<bool> begin_rank();
  /// The first row of [first, end) that is not before `ns`.
  Result<std::uint64_t> find(std::uint64_t first, std::uint64_t end, std::int64_t ns) const;

  const MemoryReader* reader_;
  MemorySelection selection_;
  std::size_t rank_ = 0;  // next one
  std::uint64_t at_ = 0, end_ = 0;
};

}  // namespace meridian
