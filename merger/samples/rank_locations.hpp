// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// The rows of /threads of one rank.
class RankLocations {
 public:
  RankLocations(const RankMeta& meta, std::uint32_t first) {
    for (const ThreadRow& thread : meta.threads) location_of_[thread.thread] = first++;
  }
  std::optional<std::uint32_t> find(std::uint64_t thread) const {
    const auto found = location_of_.find(thread);
    return found == location_of_.end() ? std::nullopt : std::optional{found->second};
  }

 private:
  std::map<std::uint64_t, std::uint32_t> location_of_;
};

}  // namespace meridian
