// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "summary/summary.hpp"

namespace meridian {

/// How good the corrected times are, in a sentence or two, for all outputs: by the bounds T1, whether lines would do as well,
/// and a warning where bounds are wide compared with the waits that were found. Empty if nothing is known about the clocks.
std::string clock_verdict(const Summary& summary);

}  // namespace meridian
