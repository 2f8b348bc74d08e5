// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// From now on, SIGINT, SIGTERM and SIGHUP end this process only after its temporary files are removed and its progress
/// bar is wiped by `wipe`, which is async-signal-safe. Signals that the caller ignores (nohup) stay ignored.
void clean_up_when_interrupted(void (*wipe)() noexcept);

}  // namespace meridian
