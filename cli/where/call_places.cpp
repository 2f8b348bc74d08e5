// SPDX-License-Identifier: Apache-2.0
#include "cli/where/call_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "cli/summary/printable.hpp"
#include "merger/sites/resolve_sites.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

/// The site of a call; kNoSite: not recorded.
std::uint32_t site_of(const ThreadNow& thread, RankSites& sites, const PathTable& paths) {
  if (thread.call == CallId::none || thread.return_address == 0) return kNoSite;
  return paths.paths()[sites.path(thread.return_address, thread.stack_node)].site;
}

}  // namespace

void find_call_places(std::vector<RankNow>& ranks) {
  SiteTable needed;
  std::map<const ThreadNow*, std::uint32_t> site_of_thread;
  for (RankNow& rank : ranks) {
    if (std::ranges::none_of(rank.threads, [](const ThreadNow& thread) { return thread.return_address != 0; }))
      continue;
    SiteTable all;  // also receives the sites of whole stacks, which are not used
    PathTable paths;
    RankSites sites{rank.meta, all, paths};
    for (ThreadNow& thread : rank.threads) {
      const std::uint32_t number = site_of(thread, sites, paths);
      if (number == kNoSite) continue;
      const Site& site = all.sites()[number];
      site_of_thread[&thread] = needed.site(all, number);
      thread.place.module = all.modules()[site.module].path;
      thread.place.offset = site.offset;
    }
  }
  Findings unused;  // unresolved sites remain offsets
  const std::vector<SourcePlace> places = resolve_sites(needed, unused);
  for (RankNow& rank : ranks)
    for (ThreadNow& thread : rank.threads) {
      const auto site = site_of_thread.find(&thread);
      if (site == site_of_thread.end() || site->second >= places.size()) continue;
      const SourcePlace& place = places[site->second];
      thread.place.function = place.function;
      thread.place.file = place.file;
      thread.place.line = place.line;
    }
}

std::string short_place(const CallPlace& place) {
  return line_text({place.function, place.file, place.line, place.module, place.offset});
}

}  // namespace meridian
