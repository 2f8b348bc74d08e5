// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace meridian {

/// A value of LD_PRELOAD without libmeridian.so, in whatever folder.
std::string without_tracer(std::string_view preloaded);

/// If LD_PRELOAD has the tracer, starts this program again without it: where a user exports it for all programs of a job, it
/// would trace the MPI calls of `meridian` itself. Returns if there is nothing to do, or if that fails.
void restart_without_tracer();

}  // namespace meridian
