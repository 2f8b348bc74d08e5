// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// Which object a handle means in one rank at one time.
class ObjectHandles {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Birth {
    std::uint64_t handle = 0;
    std::uint64_t ticks = 0;   ///< after the call that made it
    std::uint32_t object = 0;  ///< in Objects::files or Objects::windows
  };
  ObjectHandles() = default;
  explicit ObjectHandles(std::vector<Birth> births);

  /// Of an object that had been made by then; kNone.
  std::uint32_t at(std::uint64_t handle, std::uint64_t ticks) const noexcept;
  /// Of the object whose making ended at `ticks`; kNone.
  std::uint32_t made_by(std::uint64_t handle, std::uint64_t ticks) const noexcept;

 private:
  std::vector<Birth> births_;  // by (handle, ticks)
};

/// Files and windows of the run. Those of one name are one: what a program that opens a file a thousand times wants to
/// know is what became of the file.
struct Objects {
  std::vector<FileSummary> files;      ///< by name; name, opens and ranks are filled in
  std::vector<WindowSummary> windows;  ///< name, comm, windows and ranks are filled in
  struct OfRank {
    ObjectHandles files;
    ObjectHandles windows;
  };
  std::vector<OfRank> ranks;  ///< [ranks present]
};

}  // namespace meridian
