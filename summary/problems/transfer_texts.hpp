// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "summary/summary.hpp"

namespace meridian {

/// What helps against calls of a function that take long besides waits. mean_bytes: of a message, or of a call.
std::string_view transfer_remedy(const FunctionSummary& function, double mean_bytes);

}  // namespace meridian
