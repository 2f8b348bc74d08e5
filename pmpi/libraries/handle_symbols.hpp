// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Whether MPI functions that the program looks up in the library's handle are the tracer's: MERIDIAN_DLSYM in the environment,
/// because a program may do so before the options are read.
bool records_looked_up() noexcept;

}  // namespace meridian
