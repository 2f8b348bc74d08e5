#pragma once

#include <vector>

#include "merger/findings.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/sites/sites.hpp"

namespace meridian {

/// Where the sites are in the source, by number. What cannot be told is empty, with a finding. Reads the modules' files
/// where they still are what ran; never writes.
std::vector<SourcePlace> resolve_sites(const SiteTable& table, Findings& findings);

}  // namespace meridian
