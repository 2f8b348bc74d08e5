// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian::otf2 {

/// Ok, or the error that the library reported for the action: "write events of".
Status check(OTF2_ErrorCode code, const char* action);

/// An OTF2 archive that is being written, and a writer of events for each location. One at a time in a process.
class Archive {
 public:
  /// The archive `traces` in the folder, with locations 0 to `locations` - 1.
  static Result<Archive> create(const std::filesystem::path& folder, std::uint32_t locations);
  Archive(Archive&& other) noexcept;
  Archive& operator=(Archive&& other) noexcept;
  ~Archive();

  OTF2_EvtWriter* events(std::uint32_t location) const { return writers_[location]; }
  /// Ends the events, and returns their number for each location.
  Result<std::vector<std::uint64_t>> close_events();
  /// After close_events(). Belongs to the archive.
  Result<OTF2_GlobalDefWriter*> definitions();
  Status close();

 private:
  explicit Archive(OTF2_Archive* archive) : archive_{archive} {}
  OTF2_Archive* archive_;
  std::vector<OTF2_EvtWriter*> writers_;
};

}  // namespace meridian::otf2
