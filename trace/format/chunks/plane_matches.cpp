// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/plane_matches.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace meridian {
namespace {

// Bit i: byte i of `a` and `b` is the same.
std::uint64_t same_bytes(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7fULL;
  const std::uint64_t different = a ^ b;
  const std::uint64_t highest = ~(((different & kLow) + kLow) | different) & ~kLow;
  return (highest >> 7) * 0x0102040810204080ULL >> 56;
}

}  // namespace

Repeats find_repeats(std::span<const std::uint8_t> plane) {
  constexpr std::size_t kWindow = 256, kWindows = 8;
  if (plane.size() < kWindows * kWindow + kMostDistance) return {};
  const auto hits_at = [&](std::size_t first, std::size_t distance) {
    const std::uint8_t* const now = plane.data() + first;
    const std::uint8_t* const before = now - distance;
    std::size_t hits = 0;
    for (std::size_t i = 0; i < kWindow; ++i) hits += now[i] == before[i];
    return hits;
  };
  const std::size_t step = (plane.size() - kMostDistance - kWindow) / (kWindows - 1);
  std::size_t best = 0, most = 0;
  for (std::size_t distance = 1; distance <= kMostDistance && most < kWindow; ++distance) {
    const std::size_t hits = hits_at(kMostDistance + kWindows / 2 * step, distance);
    if (hits > most + most / 16) best = distance, most = hits;
  }
  if (best == 0) return {};
  std::size_t hits = 0;
  for (std::size_t window = 0; window < kWindows; ++window) hits += hits_at(kMostDistance + window * step, best);
  return {best, static_cast<double>(hits) / (kWindow * kWindows)};
}

void PlaneMatches::find(std::span<const std::uint8_t> plane, std::size_t distance) {
  find_same(plane, distance);
  drop_short_runs();
}

void PlaneMatches::find_same(std::span<const std::uint8_t> plane, std::size_t distance) {
  const std::size_t count = plane.size() - distance;
  same_.resize(count / 64 + 1);
  const std::uint8_t* before = plane.data();
  const std::uint8_t* now = before + distance;
  for (std::size_t word = 0; word < count / 64; ++word, before += 64, now += 64) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64; i += 8) {
      std::uint64_t a = 0, b = 0;
      std::memcpy(&a, before + i, 8);
      std::memcpy(&b, now + i, 8);
      bits |= same_bytes(a, b) << i;
    }
    same_[word] = bits;
  }
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < count % 64; ++i) last |= std::uint64_t{before[i] == now[i]} << i;
  same_.back() = last;
}

// Runs of less than four bytes take fewer bits as literals.
void PlaneMatches::drop_short_runs() {
  std::uint64_t earlier = 0;  // begins of four bits in the word before
  for (std::size_t i = 0; i < same_.size(); ++i) {
    const std::uint64_t bits = same_[i], next = i + 1 < same_.size() ? same_[i + 1] : 0;
    const std::uint64_t begins = bits & (bits >> 1 | next << 63) & (bits >> 2 | next << 62) & (bits >> 3 | next << 61);
    same_[i] = begins | begins << 1 | begins << 2 | begins << 3 | earlier >> 63 | earlier >> 62 | earlier >> 61;
    earlier = begins;
  }
}

std::size_t PlaneMatches::next(std::size_t at, std::size_t end, bool is_match) const noexcept {
  const std::uint64_t flip = is_match ? 0 : ~std::uint64_t{0};
  while (at < end) {
    const std::uint64_t rest = (same_[at / 64] ^ flip) >> at % 64;
    if (rest != 0) return std::min(end, at + static_cast<std::size_t>(std::countr_zero(rest)));
    at += 64 - at % 64;
  }
  return end;
}

}  // namespace meridian
