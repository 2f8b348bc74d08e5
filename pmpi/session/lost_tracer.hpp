// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Called before a program is started or replaces this one: reports it, in a run that `meridian run` began, if the environment of
/// the program has not the tracer and a trace is therefore missing. Other programs of scripts are not meant, so only those are
/// reported that are linked with MPI, or take the place of the program of the run.
/// file       path of the program, or its name to be searched in PATH
/// AS-safe; may run in a child of vfork().
void report_lost_tracer(const char* file, char* const* environment) noexcept;

}  // namespace meridian
