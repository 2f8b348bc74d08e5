// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <string>

namespace meridian::otf2 {

/// From now on the library keeps its messages for describe() and prints none.
void keep_library_errors();

/// The error in words, with the library's last message if it has not been described yet.
std::string describe(OTF2_ErrorCode code);

}  // namespace meridian::otf2
