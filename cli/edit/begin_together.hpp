// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "trace/model/result.hpp"

namespace meridian {

/// Replaces the merged file of flight recorders by one without the calls that ended before all ranks had some: its ranks begin at one
/// moment. A file in which a rank has no calls from then on stays as it is.
///
/// Returns whether it was replaced.
Result<bool> begin_together(const std::filesystem::path& merged,
                            const std::function<void(double fraction, std::string_view what)>& progress);

}  // namespace meridian
