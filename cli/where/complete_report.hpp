// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "live/where_report.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The state of all ranks with communicators, deadlock and source locations.
/// errors  those of look_at_trace()
Result<WhereReport> complete_report(const std::filesystem::path& directory);

}  // namespace meridian
