// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "live/where_report.hpp"

namespace meridian {

/// Ranks in the same call with the same arguments share a line; a deadlock follows if there is one.
std::string where_text(WhereReport& report);
/// One object: `ranks[]` with `threads[]`, `deadlock`. docs/WHERE.md.
std::string where_json(WhereReport& report);

}  // namespace meridian
