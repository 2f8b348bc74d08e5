// SPDX-License-Identifier: Apache-2.0
#include "merger/model/definitions/paths.hpp"

namespace meridian {

std::uint32_t PathTable::path(std::uint32_t parent, std::uint32_t site) {
  const auto at = path_of_.find({parent, site});
  if (at != path_of_.end()) return at->second;
  if (paths_.size() >= kMaxPaths) {
    is_full_ = true;
    return kNoPath;
  }
  const auto number = static_cast<std::uint32_t>(paths_.size());
  path_of_[{parent, site}] = number;
  paths_.push_back({parent, site});
  return number;
}

}  // namespace meridian
