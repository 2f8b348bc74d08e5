// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Releases the calling thread's slot and its counts of calls that were not recorded. A call in progress ends as
/// abandoned.
void release_thread() noexcept;

}  // namespace meridian
