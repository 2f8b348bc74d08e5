// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "summary/summary.hpp"

namespace meridian {

/// The name of the program without its folders; of an interpreter that of its script or module, as far as the command line
/// shows one. Empty if unknown.
std::string program_name(const Summary& summary);

}  // namespace meridian
