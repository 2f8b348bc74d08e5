// SPDX-License-Identifier: Apache-2.0
#include "merger/model/clock_map.hpp"

#include <algorithm>

namespace meridian {

ClockMap ClockMap::through(const std::vector<Point>& points, const ClockMap& otherwise) {
  if (points.size() < 2) return otherwise;
  auto bends = std::make_shared<Bends>();
  std::vector<ClockStretch>& stretches = bends->stretches;
  std::int64_t ns = points.front().ns;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const std::uint64_t ticks = points[i + 1].ticks - points[i].ticks;
    if (ticks == 0) {
      ns = std::max(ns, points[i + 1].ns);
      continue;
    }
    const std::int64_t next = std::max(ns, points[i + 1].ns);
    // Rounded down, so that no stretch ends after the next one begins.
    const auto scale =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(next - ns) << kTickScaleBits) / ticks);
    stretches.push_back({points[i].ticks, ns, scale});
    ns = next;
  }
  if (stretches.empty()) return otherwise;
  bends->first_ticks = stretches.front().base_ticks;
  bends->ticks_per_stretch = std::max<std::uint64_t>(1, (points.back().ticks - bends->first_ticks) / stretches.size());
  ClockMap map;
  map.line_ = {0, 0, 0};
  map.bends_ = std::move(bends);
  return map;
}

std::int64_t ClockMap::bent(std::uint64_t ticks) const noexcept {
  const std::vector<ClockStretch>& all = bends_->stretches;
  const auto since = static_cast<std::int64_t>(ticks - bends_->first_ticks);
  std::size_t i = 0;
  if (since > 0) i = std::min(static_cast<std::uint64_t>(since) / bends_->ticks_per_stretch, all.size() - 1);
  const auto begins_after = [&](const ClockStretch& stretch) {
    return static_cast<std::int64_t>(stretch.base_ticks - bends_->first_ticks) > since;
  };
  while (i > 0 && begins_after(all[i])) --i;
  while (i + 1 < all.size() && !begins_after(all[i + 1])) ++i;
  return line_.base_ns + all[i].to_global(ticks);
}

std::uint64_t ClockMap::to_ticks(std::int64_t ns) const noexcept {
  const __int128 distance = static_cast<__int128>(ns - line_.base_ns) << kTickScaleBits;
  const __int128 scale = std::max<std::uint64_t>(line_.scale, 1);
  const __int128 delta = distance >= 0 ? (distance + scale - 1) / scale : -((-distance) / scale);
  return line_.base_ticks + static_cast<std::uint64_t>(static_cast<std::int64_t>(delta));
}

}  // namespace meridian
