// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// A clock's correction on one side of a step, in ns.
struct OffsetLine {
  double begin = 0, value = 0, slope = 0;
  double operator()(double t) const { return value + slope * (t - begin); }
};

}  // namespace meridian
