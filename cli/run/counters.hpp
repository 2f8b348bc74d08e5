// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trace/model/result.hpp"

namespace meridian {

/// Whether this machine can count, together, everything that MERIDIAN_COUNTERS names, but for software-defined events:
/// only the program knows those. errors: unsupported, with the names.
/// may_take_turns  those that do not fit at once are counted by turns.
Status check_counters(std::string_view names, bool may_take_turns);

}  // namespace meridian
