// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Creates the ring file in the scratch directory and maps its head. False with the reason printed.
bool create_ring() noexcept;

}  // namespace meridian
