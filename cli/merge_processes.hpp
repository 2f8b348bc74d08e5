// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "processes/processes.hpp"

namespace meridian {

/// Runs `merge`, which returns an exit code, in process 0 of the job that this process belongs to; the other processes read
/// rank files and run analyses for it, and succeed when it has ended. Without a launcher, or where its processes cannot
/// reach each other, `merge` gets none.
int merge_with_processes(const std::function<int(Processes* processes)>& merge);

}  // namespace meridian
