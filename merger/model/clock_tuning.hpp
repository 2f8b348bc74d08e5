// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace meridian {

/// The constants of the clock passes. clock_tuning.def gives the origin of each, and the effect on the clocks of
/// halving or doubling it.
struct ClockTuning {
#ifdef MERIDIAN_CLOCK_TUNING_VARIES  // defined by tests/unit/clocks/clock_tuning.cpp, which measures the effects
#define MERIDIAN_CLOCK_TUNING(type, name, value, unit, text, effect) static inline type name = value;
#else
#define MERIDIAN_CLOCK_TUNING(type, name, value, unit, text, effect) static constexpr type name = value;
#endif
#define MERIDIAN_CLOCK_LIST(type, name, count, text, ...) static constexpr std::array<type, count> name{__VA_ARGS__};
#define MERIDIAN_CLOCK_SIZE(name, value, text) static constexpr std::size_t name = value;
#include "merger/model/clock_tuning.def"
};

}  // namespace meridian
