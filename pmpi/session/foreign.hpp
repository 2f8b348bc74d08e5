// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Whether the MPI library of this process has another interface than this tracer was compiled for. If so, calls go past the
/// tracer from now on, nothing is recorded, and the first rank reports it. Where code cannot be changed, the process is ended with an
/// error, because the program would compute with wrong handles. Done when the tracer is loaded and again at the first call, because
/// MPI may be loaded later.
bool step_aside() noexcept;

}  // namespace meridian
