// SPDX-License-Identifier: Apache-2.0
#include "trace/definitions/worlds.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// 2 for world-2; -1 for another name.
std::int32_t number_of_world(const fs::path& directory) {
  const std::string name = directory.filename().string();
  std::int32_t number = -1;
  if (!name.starts_with("world-")) return -1;
  // world-2-2 replaces world-2 if that name was in use by another trace
  const auto [end, problem] = std::from_chars(name.data() + 6, name.data() + name.size(), number);
  return problem == std::errc{} && (end == name.data() + name.size() || *end == '-') ? number : -1;
}

constexpr std::int32_t kLargestWorld = 1 << 24;  // a larger world means damage
// Missing ranks use memory too: at most this many may be missing, plus this many for each rank that is present.
constexpr std::uint64_t kMostMissing = 1 << 20;
constexpr std::uint64_t kMissingForEach = 256;

}  // namespace

std::string rank_ranges(std::span<const std::int32_t> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

bool has_valid_rank(const RankMeta& meta) noexcept {
  return meta.rank >= 0 && meta.rank < meta.size && meta.size <= kLargestWorld;
}

Status check_sizes(std::span<const World> worlds, std::uint64_t present, const fs::path& directory) {
  std::uint64_t claimed = 0;
  for (const World& world : worlds) claimed += static_cast<std::uint64_t>(world.size);
  if (claimed <= kMostMissing + kMissingForEach * present) return {};
  return Error{Errc::damaged,
               "the rank files in '" + directory.string() + "' claim to be of " + std::to_string(claimed) +
                   " ranks, and there are files of " + std::to_string(present),
               "the attribute 'size' of one of them is damaged: remove that file, or give more of the ranks"};
}

std::vector<fs::path> world_directories(const fs::path& directory) {
  std::vector<fs::path> worlds;
  std::error_code problem;
  for (fs::directory_iterator entry{directory, problem}, end; !problem && entry != end; entry.increment(problem)) {
    std::error_code ignored;
    if (number_of_world(entry->path()) > 0 && entry->is_directory(ignored)) worlds.push_back(entry->path());
  }
  std::ranges::sort(worlds, {}, [](const fs::path& path) { return std::pair{number_of_world(path), path}; });
  worlds.insert(worlds.begin(), directory);
  return worlds;
}

}  // namespace meridian
