// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Key of the text `outside` before a switch of recording by a window or `meridian control`, not by the program.
inline constexpr const char* kSwitchedKey = "recording.switched";

}  // namespace meridian
