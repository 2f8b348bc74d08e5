// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/summarize_sites.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace meridian {
namespace {

constexpr std::size_t kMostPaths = 1000;  // in the summary; the merged file has all

/// The representative of each site: sites with equal known source locations are combined, because the compiler copies
/// calls when it unrolls a loop.
std::vector<std::uint32_t> unite_sites(const Trace& trace, std::span<const SourcePlace> places) {
  using Place =
      std::tuple<std::uint32_t, std::string_view, std::string_view, std::string_view, std::uint32_t, std::uint32_t>;
  std::map<Place, std::uint32_t> first;
  std::vector<std::uint32_t> same(places.size());
  for (std::uint32_t i = 0; i < same.size(); ++i) {
    const SourcePlace& place = places[i];
    const std::uint32_t module = trace.sites->sites()[i].module;
    const Place key{module, place.function, place.outer, place.file, place.line, place.column};
    same[i] = place.line == 0 ? i : first.try_emplace(key, i).first->second;
  }
  return same;
}

/// The representative of each path, determined by those of its parent and its site.
std::vector<std::uint32_t> unite_paths(const Trace& trace, std::span<const std::uint32_t> same_site) {
  const std::vector<CallPath>& paths = trace.paths->paths();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first;
  std::vector<std::uint32_t> same(paths.size());
  for (std::uint32_t i = 0; i < same.size(); ++i) {
    const bool is_mark = i <= kLostPath;
    same[i] = is_mark ? i : first.try_emplace({same[paths[i].parent], same_site[paths[i].site]}, i).first->second;
  }
  return same;
}

/// The frames from the outermost on; `mark` receives the path's initial mark.
std::vector<std::uint32_t> frames_of(const std::vector<CallPath>& paths, std::uint32_t path, std::uint32_t& mark) {
  std::vector<std::uint32_t> frames;
  for (; path > kLostPath; path = paths[path].parent) frames.push_back(path);
  mark = path;
  std::ranges::reverse(frames);
  return frames;
}

std::string_view name_of_mark(std::uint32_t mark) {
  return mark == kDeeperPath ? "deeper" : mark == kLostPath ? "lost" : "program";
}

}  // namespace

std::vector<SiteSummary> summarize_sites(const Trace& trace, const Statistics& statistics,
                                         std::span<const SourcePlace> places) {
  const std::vector<std::uint32_t> same = unite_sites(trace, places);
  std::vector<std::uint32_t> place_of;
  for (const CallPath& path : trace.paths->paths())
    place_of.push_back(path.site == kNoSite ? Statistics::kNowhere : same[path.site]);
  std::vector<SiteSummary> list;
  for (auto& [number, sums] : statistics.places(trace.calls, place_of)) {
    const Site& site = trace.sites->sites()[number];
    const SourcePlace& place = places[number];
    SiteSummary& row = list.emplace_back(std::move(sums));
    row.caller = place.function;
    row.outer = place.outer;
    row.file = place.file;
    row.line = place.line;
    row.column = place.column;
    row.module = trace.sites->modules()[site.module].path;
    row.offset = site.offset;
  }
  return list;
}

void summarize_paths(const Trace& trace, const Statistics& statistics, std::span<const SourcePlace> places,
                     Summary& summary) {
  const std::vector<CallPath>& paths = trace.paths->paths();
  std::vector<std::uint32_t> place_of = unite_paths(trace, unite_sites(trace, places));
  for (std::uint32_t mark = 0; mark <= kLostPath; ++mark) place_of[mark] = Statistics::kNowhere;
  for (const auto& [number, sums] : statistics.places(trace.calls, place_of)) {
    if (summary.paths.size() == kMostPaths) break;
    std::uint32_t mark = kNoPath;
    const std::vector<std::uint32_t> frames = frames_of(paths, number, mark);
    PathSummary& row = summary.paths.emplace_back();
    row.path = summary.paths.size() - 1;
    row.function = sums.function;
    row.begins = name_of_mark(mark);
    row.frames = frames.size();
    row.count = sums.count;
    row.ranks = sums.ranks;
    row.total_s = sums.total_s;
    row.share = sums.share;
    row.bytes_sent = sums.bytes_sent;
    row.bytes_received = sums.bytes_received;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::uint32_t where = paths[frames[i]].site;
      const Site& site = trace.sites->sites()[where];
      const SourcePlace& place = places[where];
      summary.path_frames.push_back({row.path, i, place.function, place.outer, place.file, place.line,
                                     trace.sites->modules()[site.module].path, site.offset});
    }
  }
}

std::uint64_t calls_with_lost_callers(const Trace& trace, const Statistics& statistics) {
  const std::vector<CallPath>& paths = trace.paths->paths();
  std::vector<std::uint32_t> root_of(paths.size());
  for (std::uint32_t i = 0; i < root_of.size(); ++i) root_of[i] = i <= kLostPath ? i : root_of[paths[i].parent];
  std::uint64_t lost = 0;
  for (const auto& [root, sums] : statistics.places(trace.calls, root_of))
    if (root == kLostPath) lost += sums.count;
  return lost;
}

}  // namespace meridian
