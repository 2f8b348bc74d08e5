// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "merged/model/samples.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Selects samples.
struct SampleSelection {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_ns =
      std::numeric_limits<std::int64_t>::max();      ///< later samples are left out, and those of that time
  std::optional<std::vector<std::int32_t>> ranks{};  ///< nullopt: all
};

/// Reads the samples of a merged file; made by MergedTrace::samples(). Memory is bounded by the table of names. Not thread-safe.
class SampleReader {
 public:
  /// `file`: HDF5 file (hid_t) that stays open. A file without samples has an empty table.
  /// errors  damaged; io
  static Result<SampleReader> open(std::int64_t file, std::size_t locations);
  SampleReader(SampleReader&&) noexcept;
  SampleReader& operator=(SampleReader&&) noexcept;
  ~SampleReader();

  std::uint64_t size() const noexcept;
  const SampleNames& names() const noexcept;
  /// Reads rows [first, first + rows.size()), which must be there. Their numbers have a meaning. errors: damaged; io
  Status read(std::uint64_t first, std::span<MergedSample> rows) const;

 private:
  struct Impl;
  explicit SampleReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads selected samples, rank after rank, each in order of time. The reader must outlive it.
class SampleCursor {
 public:
  SampleCursor(const SampleReader& reader, SampleSelection selection)
      : reader_{&reader}, selection_{std::move(selection)} {}

  /// Replaces the rows by the next ones, all of one rank; false: there are none. errors: damaged; io
  Result<bool> next(std::vector<MergedSample>& rows);
  /// The rank of the rows.
  std::int32_t rank() const noexcept { return reader_->names().ranks[rank_ - 1].rank; }

 private:
  /// Goes to the next selected rank.
  Result<bool> begin_rank();
  /// The first row of [first, end) that is not before `ns`.
  Result<std::uint64_t> find(std::uint64_t first, std::uint64_t end, std::int64_t ns) const;

  const SampleReader* reader_;
  SampleSelection selection_;
  std::size_t rank_ = 0;  // next one
  std::uint64_t at_ = 0, end_ = 0;
};

}  // namespace meridian
