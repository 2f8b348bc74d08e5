#pragma once

#include <string_view>

#include "trace/model/result.hpp"

namespace meridian {

/// Whether this machine can count, together, everything that MERIDIAN_COUNTERS names, but for software-defined events:
/// only the program knows those. errors: unsupported, with the names.
Status check_counters(std::string_view names);

}  // namespace meridian
