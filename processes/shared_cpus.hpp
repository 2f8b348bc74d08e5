// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "processes/processes.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Lets each process run on all processors that the launcher gave to processes of its host: launchers bind a process to one
/// core, where the threads of process 0 would stand in line while the other cores wait for it. All processes call this.
///
/// errors  io: a process is gone. If processors cannot be found out or chosen, they stay as they are.
Status share_cpus(Processes& processes);

}  // namespace meridian
