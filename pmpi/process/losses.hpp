// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// Counts an event that could not be stored.
[[gnu::cold]] void count_loss(Loss cause) noexcept;

}  // namespace meridian
