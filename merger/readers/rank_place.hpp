// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "trace/format/rank/rank_container.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// Where the tables of a rank are.
struct RankPlace {
  std::filesystem::path file;  ///< of the rank, or a container
  std::string group;           ///< in the container; empty: a file of the rank's own
};

/// Opens ranks; those of one container that follow each other share it.
class PlaceOpener {
 public:
  /// errors  those of RankFile::open() and RankContainer::open()
  Result<RankFile> open(const RankPlace& place) {
    if (place.group.empty()) return RankFile::open(place.file);
    if (!container_ || container_->path() != place.file) {
      container_.reset();
      MERIDIAN_TRY(container_, RankContainer::open(place.file));
    }
    return container_->rank(place.group);
  }

 private:
  std::optional<RankContainer> container_;
};

}  // namespace meridian
