// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Key of the texts with a file whose code a rank has loaded. Value: "BEGIN END BIAS IDENTITY KIND PATH", the first three in hex: where
/// it is in the process, and its load bias. Identity: the build id in hex, "stat:SIZE:SECONDS.NANOSECONDS" of the file, or "-". Kind:
/// "mpi", "tracer" or "-". Stored by the tracer, and by the writer for files that samples are in and that the tracer did not see.
inline constexpr const char* kModuleKey = "module";

}  // namespace meridian
