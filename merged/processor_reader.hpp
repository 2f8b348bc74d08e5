// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "merged/model/processor.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Selects intervals without a processor.
struct ProcessorSelection {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  ///< those that end before it are left out
  std::int64_t to_ns =
      std::numeric_limits<std::int64_t>::max();      ///< those that begin at that time or later are left out
  std::optional<std::vector<std::int32_t>> ranks{};  ///< nullopt: all
};

/// Reads the intervals of a merged file in which threads had no processor; made by MergedTrace::processor(). Not thread-safe.
class ProcessorReader {
 public:
  /// `file`: HDF5 file (hid_t) that stays open. A file without intervals has an empty table.
  /// errors  damaged; io
  static Result<ProcessorReader> open(std::int64_t file, std::size_t locations);
  ProcessorReader(ProcessorReader&&) noexcept;
  ProcessorReader& operator=(ProcessorReader&&) noexcept;
  ~ProcessorReader();

  std::uint64_t size() const noexcept;
  /// The ranks of which it is known when their threads had a processor.
  const std::vector<ProcessorRank>& ranks() const noexcept;
  /// Reads rows [first, first + rows.size()), which must be there. All are possible. errors: damaged; io
  Status read(std::uint64_t first, std::span<MergedInterval> rows) const;

 private:
  struct Impl;
  explicit ProcessorReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads selected intervals, rank after rank, each in order of their end. The reader must outlive it.
class ProcessorCursor {
 public:
  ProcessorCursor(const ProcessorReader& reader, ProcessorSelection selection)
      : reader_{&reader}, selection_{std::move(selection)} {}

  /// Replaces the rows by the next ones, all of one rank; false: there are none. errors: damaged; io
  Result<bool> next(std::vector<MergedInterval>& rows);
  /// The rank of the rows.
  std::int32_t rank() const noexcept { return reader_->ranks()[rank_ - 1].rank; }

 private:
  /// Goes to the next selected rank.
  Result<bool> begin_rank();
  /// The first row of [first, end) that does not end before `ns`.
  Result<std::uint64_t> find(std::uint64_t first, std::uint64_t end, std::int64_t ns) const;

  const ProcessorReader* reader_;
  ProcessorSelection selection_;
  std::size_t rank_ = 0;  // next one
  std::uint64_t at_ = 0, end_ = 0;
};

}  // namespace meridian
