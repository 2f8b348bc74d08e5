// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

/// Maps a handle to an object, for one rank and one time.
class ObjectHandles {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Birth {
    std::uint64_t handle = 0;
    std::uint64_t ticks = 0;   ///< leave of the call that made it
    std::uint32_t object = 0;  ///< index in Objects::files or Objects::windows
  };
  ObjectHandles() = default;
  explicit ObjectHandles(std::vector<Birth> births);

  /// The object that existed under this handle at that time; else kNone.
  std::uint32_t at(std::uint64_t handle, std::uint64_t ticks) const noexcept;
  /// The object whose creation ended at `ticks`; else kNone.
  std::uint32_t made_by(std::uint64_t handle, std::uint64_t ticks) const noexcept;

 private:
  std::vector<Birth> births_;  // by (handle, ticks)
};

/// Files and windows of the run. Those with equal names are one: a program may open a file a thousand times, and the
/// user wants to know about the file.
struct Objects {
  std::vector<FileSummary> files;      ///< by name; name, opens and ranks are filled in
  std::vector<WindowSummary> windows;  ///< name, comm, windows and ranks are filled in
  struct OfRank {
    ObjectHandles files;
    ObjectHandles windows;
    ObjectHandles each_window{};    ///< those with equal names are several: index in window_members
    ObjectHandles each_file{};      ///< each opening is one: index in file_members
    ObjectHandles program_files{};  ///< by number (kProgramFileKey), of all times
  };
  std::vector<OfRank> ranks;                  ///< [ranks present]
  std::vector<std::uint32_t> window_members;  ///< ranks present that have the window
  std::vector<std::uint32_t> window_objects;  ///< likewise: index in windows
  std::vector<std::uint32_t> file_members;    ///< ranks present that have opened the file together
};

}  // namespace meridian
