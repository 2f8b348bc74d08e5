// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bounds in the merged file: FORMAT.md, /clock_bounds.

#include "merger/model/clock_bounds.hpp"
#include "trace/format/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

Status write_clock_bounds(hid_t file, const ClockBounds& bounds);

}  // namespace meridian
