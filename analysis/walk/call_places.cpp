// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/call_places.hpp"

#include <unordered_map>

#include "trace/model/source_place.hpp"

namespace meridian {

CallPlaces::CallPlaces(const MergedDefinitions& definitions) {
  std::unordered_map<std::string, std::uint32_t> known{{"", 0}};
  place_of_site_.assign(1, 0);
  for (std::size_t i = 1; i < definitions.sites.size(); ++i) {
    const MergedSite& site = definitions.sites[i];
    const bool has_module = site.module != 0 && site.module < definitions.modules.size();
    const std::string_view module = has_module ? std::string_view{definitions.modules[site.module].path} : "";
    const std::string name = place_text({site.function, site.file, site.line, module, has_module ? site.offset : 0});
    const auto [at, is_new] = known.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    place_of_site_.push_back(at->second);
  }
}

}  // namespace meridian
