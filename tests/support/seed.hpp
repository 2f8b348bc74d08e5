// SPDX-License-Identifier: Apache-2.0
#pragma once

// One seed for everything that unit tests draw: TEST_SEED, 1 unless given, printed by the first draw.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace meridian::test {

inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("TEST_SEED");
    const std::uint64_t value = text == nullptr || *text == '\0' ? 1 : std::strtoull(text, nullptr, 10);
    std::printf("TEST_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

/// The seed of one generator. `salt` differs between the generators of a program; with seed 1 it is the seed of the
/// generator. Figures that a document quotes do not use this: their seeds are named where they are quoted.
inline std::uint64_t seeded(std::uint64_t salt) { return salt + (test_seed() - 1) * 0x9e3779b97f4a7c15; }

/// How many of `wanted` cases a test tries: a sixth of them, and one at least, with sanitizers, which make each ten
/// times slower, and in builds without optimization. The release build tries all.
constexpr std::uint64_t cases(std::uint64_t wanted) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
  constexpr bool kIsSlow = true;
#elif defined(__has_feature)
  constexpr bool kIsSlow = __has_feature(address_sanitizer);
#else
  constexpr bool kIsSlow = false;
#endif
  return kIsSlow ? (wanted + 5) / 6 : wanted;
}

}  // namespace meridian::test
