// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "merger/model/definitions/sites.hpp"
#include "merger/model/findings.hpp"
#include "merger/sites/debug_info.hpp"

namespace meridian {

/// The source locations of the sites, by index. Unknown ones are empty and counted in a finding. Reads the modules'
/// files if they are still those that ran; never writes.
std::vector<SourcePlace> resolve_sites(const SiteTable& table, Findings& findings);

}  // namespace meridian
