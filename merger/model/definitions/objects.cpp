// SPDX-License-Identifier: Apache-2.0
#include "merger/model/definitions/objects.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace meridian {

ObjectHandles::ObjectHandles(std::vector<Birth> births) : births_{std::move(births)} {
  std::ranges::stable_sort(births_, {}, [](const Birth& birth) { return std::pair{birth.handle, birth.ticks}; });
}

std::uint32_t ObjectHandles::at(std::uint64_t handle, std::uint64_t ticks) const noexcept {
  const auto after = std::ranges::upper_bound(births_, std::pair{handle, ticks}, {}, [](const Birth& birth) {
    return std::pair{birth.handle, birth.ticks};
  });
  if (after == births_.begin() || std::prev(after)->handle != handle) return kNone;
  return std::prev(after)->object;
}

std::uint32_t ObjectHandles::made_by(std::uint64_t handle, std::uint64_t ticks) const noexcept {
  const auto next = std::ranges::lower_bound(births_, std::pair{handle, ticks}, {}, [](const Birth& birth) {
    return std::pair{birth.handle, birth.ticks};
  });
  return next == births_.end() || next->handle != handle ? kNone : next->object;
}

}  // namespace meridian
