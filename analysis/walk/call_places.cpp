// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/call_places.hpp"

#include <cstdio>
#include <unordered_map>

namespace meridian {

CallPlaces::CallPlaces(const MergedDefinitions& definitions) {
  const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  std::unordered_map<std::string, std::uint32_t> known{{"", 0}};
  place_of_site_.assign(1, 0);
  for (std::size_t i = 1; i < definitions.sites.size(); ++i) {
    const MergedSite& site = definitions.sites[i];
    std::string name;
    if (site.line != 0) {
      name = base(site.file) + ":" + std::to_string(site.line);
    } else if (site.module != 0 && site.module < definitions.modules.size()) {
      char offset[24];
      std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(site.offset));
      name = base(definitions.modules[site.module].path) + offset;
    }
    const auto [at, is_new] = known.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    place_of_site_.push_back(at->second);
  }
}

}  // namespace meridian
