// SPDX-License-Identifier: Apache-2.0
// Section WORLDS.

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostWorlds = 16;

}  // namespace

std::string place_in_world(const Summary& summary, std::int32_t rank) {
  const WorldSummary* found = nullptr;
  for (const WorldSummary& world : summary.worlds)
    if (rank >= world.first_rank) found = &world;
  return found == nullptr ? "" : fmt::format("{} of {}", rank - found->first_rank, found->world);
}

std::string worlds_section(const Summary& summary, const Paint& paint) {
  if (summary.worlds.empty()) return {};
  Table table{{{"world"}, {"ranks"}, {"traced"}, {"started by"}, {"program", Align::left, Shortening::path}}};
  const std::size_t shown = std::min(summary.worlds.size(), kMostWorlds);
  for (std::size_t i = 0; i < shown; ++i) {
    const WorldSummary& world = summary.worlds[i];
    const std::int32_t last = world.first_rank + std::max(world.ranks_expected, 1) - 1;
    table.add({fmt::format("{}", world.world),
               last == world.first_rank ? fmt::format("{}", last) : fmt::format("{}-{}", world.first_rank, last),
               fmt::format("{} of {}", world.ranks_present, world.ranks_expected),
               world.parent == 0 ? "-" : fmt::format("world {}", world.parent), printable(world.executable)});
  }
  std::string result = paint.heading("WORLDS");
  if (shown < summary.worlds.size()) result += fmt::format(" (the first {} of {})", shown, summary.worlds.size());
  return result + "\n" + table.text([&](const std::string& line) { return paint.title(line); });
}

}  // namespace meridian
