// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Level of the regions that -finstrument-functions makes; their names are symbols of the linker.
inline constexpr const char* kFunctionLevel = "function";
/// Key of the texts with an instrumented function that was recorded no more, because its calls are many and short.
inline constexpr const char* kFunctionThrottledKey = "function.throttled";
/// Key of the texts on instrumented functions that were not recorded: why.
inline constexpr const char* kFunctionsLeftOutKey = "function.left_out";

}  // namespace meridian
