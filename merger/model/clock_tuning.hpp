// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace meridian {

/// The numbers that the clock passes rest on. clock_tuning.def describes each: where it comes from, and what happens to
/// the clocks if it is halved or doubled.
struct ClockTuning {
#ifdef MERIDIAN_CLOCK_TUNING_VARIES  // by tests/unit/clocks/clock_tuning.cpp, which measures that
#define MERIDIAN_CLOCK_TUNING(type, name, value, unit, text, effect) static inline type name = value;
#else
#define MERIDIAN_CLOCK_TUNING(type, name, value, unit, text, effect) static constexpr type name = value;
#endif
#define MERIDIAN_CLOCK_LIST(type, name, count, text, ...) static constexpr std::array<type, count> name{__VA_ARGS__};
#define MERIDIAN_CLOCK_SIZE(name, value, text) static constexpr std::size_t name = value;
#include "merger/model/clock_tuning.def"
};

}  // namespace meridian
