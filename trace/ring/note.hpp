// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Ending of the name of a note whose rank file is complete: ring and pieces are being removed.
inline constexpr const char* kFinishedNote = ".done";

}  // namespace meridian
