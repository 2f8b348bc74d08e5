// SPDX-License-Identifier: Apache-2.0
#include "trace/definitions/communicators.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace meridian {

CommResolver::CommResolver(std::vector<Birth> births) : births_{std::move(births)}, by_maker_(births_.size()) {
  std::ranges::stable_sort(births_, {}, [](const Birth& birth) { return std::tuple{birth.handle, birth.leave_ticks}; });
  std::iota(by_maker_.begin(), by_maker_.end(), 0U);
  std::ranges::sort(by_maker_, {}, [this](std::uint32_t i) {
    return std::tuple{births_[i].thread, births_[i].enter_ticks, births_[i].leave_ticks};
  });
}

const LocalComm* CommResolver::look_up(std::uint64_t handle, std::uint64_t ticks) noexcept {
  const auto key = [](const Birth& birth) { return std::pair{birth.handle, birth.leave_ticks}; };
  const auto after = std::ranges::upper_bound(births_, std::pair{handle, ticks}, {}, key);
  if (after == births_.begin() || std::prev(after)->handle != handle) return nullptr;
  const Birth& found = *std::prev(after);
  const bool is_last = after == births_.end() || after->handle != handle;
  recent_[(handle >> 4 ^ handle) % kRecent] = {handle, found.leave_ticks,
                                               is_last ? ~std::uint64_t{0} : after->leave_ticks, &found.comm};
  return &found.comm;
}

const CommResolver::Birth* CommResolver::made_by(std::uint32_t thread, std::uint64_t enter_ticks) const noexcept {
  const auto key = [this](std::uint32_t i) { return std::pair{births_[i].thread, births_[i].enter_ticks}; };
  const auto at = std::ranges::lower_bound(by_maker_, std::pair{thread, enter_ticks}, {}, key);
  return at != by_maker_.end() && key(*at) == std::pair{thread, enter_ticks} ? &births_[*at] : nullptr;
}

}  // namespace meridian
