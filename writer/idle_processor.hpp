// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Whether a processor of this host has nothing to do but what this process could do there: no more threads can run now, this one
/// included, than there are processors that this process may use. False if the system does not say (/proc/loadavg).
bool has_idle_processor() noexcept;

}  // namespace meridian
