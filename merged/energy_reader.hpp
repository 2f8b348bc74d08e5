// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "merged/model/energy.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Selects readings of the energy.
struct EnergySelection {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  ///< earlier ones are left out
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();    ///< those at that time or later are left out
};

/// Reads the energy of hosts over time from a merged file; made by MergedTrace::energy(). Not thread-safe.
class EnergyReader {
 public:
  /// `file`: HDF5 file (hid_t) that stays open. A file without readings has an empty table.
  /// errors  damaged; io
  static Result<EnergyReader> open(std::int64_t file);
  EnergyReader(EnergyReader&&) noexcept;
  EnergyReader& operator=(EnergyReader&&) noexcept;
  ~EnergyReader();

  std::uint64_t size() const noexcept;
  /// The hosts whose energy was read.
  const std::vector<EnergyHost>& hosts() const noexcept;
  const std::vector<MergedEnergyZone>& zones() const noexcept;
  /// Reads rows [first, first + rows.size()), which must be there. All have a zone. errors: damaged; io
  Status read(std::uint64_t first, std::span<MergedEnergy> rows) const;

 private:
  struct Impl;
  explicit EnergyReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads selected readings, host after host, each in order of time. The reader must outlive it.
class EnergyCursor {
 public:
  EnergyCursor(const EnergyReader& reader, EnergySelection selection) : reader_{&reader}, selection_{selection} {}

  /// Fills `rows` with the next readings, all of one host. False: the table is over. errors: damaged; io
  Result<bool> next(std::vector<MergedEnergy>& rows);
  /// The host of the rows, as a number in EnergyReader::hosts().
  std::size_t host() const noexcept { return host_ - 1; }

 private:
  const EnergyReader* reader_;
  EnergySelection selection_;
  std::size_t host_ = 0;  // next one
  std::uint64_t at_ = 0, end_ = 0;
};

}  // namespace meridian
