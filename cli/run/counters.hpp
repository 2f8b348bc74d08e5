// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trace/model/result.hpp"

namespace meridian {

/// Checks whether this machine can count all counters of MERIDIAN_COUNTERS together, except software-defined events,
/// which only the program knows. errors: unsupported, with the names.
/// may_take_turns  multiplex counters that do not fit at the same time.
Status check_counters(std::string_view names, bool may_take_turns);

}  // namespace meridian
