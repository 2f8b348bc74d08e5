// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/chunk_codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "trace/format/chunks/plane_deflate.hpp"

#if MERIDIAN_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

namespace meridian {
namespace {

// Calls action(T{}) with the C++ type of a column type. Doubles are moved as their bits.
template <class Action>
auto with_type(ColumnType type, Action&& action) {
  switch (type) {
    case ColumnType::i8:
      return action(std::int8_t{});
    case ColumnType::u8:
      return action(std::uint8_t{});
    case ColumnType::i16:
      return action(std::int16_t{});
    case ColumnType::u16:
      return action(std::uint16_t{});
    case ColumnType::i32:
      return action(std::int32_t{});
    case ColumnType::u32:
      return action(std::uint32_t{});
    case ColumnType::i64:
      return action(std::int64_t{});
    case ColumnType::u64:
    case ColumnType::f64:
      break;
  }
  return action(std::uint64_t{});
}

// Works on bits, so that the loop has neither branches nor comparisons: a signed value fits n bytes if its bits from
// the highest bit of byte n upwards are all equal, that is if v ^ 2v has no bit from 8n upwards.
template <class T>
ValueRange scan(const T* values, std::size_t count) {
  using Bits = std::make_unsigned_t<T>;
  Bits used = 0;
  Bits different = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Bits bits = static_cast<Bits>(values[i]);
    used =
        static_cast<Bits>(used | (std::is_signed_v<T> ? static_cast<Bits>(bits ^ static_cast<Bits>(bits << 1)) : bits));
    different = static_cast<Bits>(different | (bits ^ static_cast<Bits>(values[0])));
  }
  const std::uint64_t wide = used;
  return {wide >> 8 == 0 ? 1u : wide >> 16 == 0 ? 2u : wide >> 32 == 0 ? 4u : 8u, different == 0};
}

// The bits that are not the same in all values.
template <class T>
std::uint64_t varying_bits(const T* values, std::size_t count) {
  using Bits = std::make_unsigned_t<T>;
  Bits varying = 0;
  for (std::size_t i = 0; i < count; ++i)
    varying = static_cast<Bits>(varying | (static_cast<Bits>(values[i]) ^ static_cast<Bits>(values[0])));
  return varying;
}

template <class T>
void split_one(const T* values, std::size_t count, std::size_t plane, std::uint8_t* out) {
  using Bits = std::make_unsigned_t<T>;
  const unsigned shift = static_cast<unsigned>(8 * plane);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(static_cast<Bits>(values[i]) >> shift);
}

template <std::size_t Width, class Stored>
Stored gather(const std::uint8_t* planes, std::size_t stride, std::size_t index) {
  using Bits = std::make_unsigned_t<Stored>;
  Bits bits = 0;
  for (std::size_t plane = 0; plane < Width; ++plane)
    bits =
        static_cast<Bits>(bits | static_cast<Bits>(static_cast<Bits>(planes[plane * stride + index]) << (8 * plane)));
  return static_cast<Stored>(bits);
}

template <class Stored, class T>
bool join(const std::uint8_t* planes, std::size_t stride, std::size_t first, std::size_t count, T* values) {
  using Limits = std::numeric_limits<T>;
  constexpr bool is_always_held = std::cmp_greater_equal(std::numeric_limits<Stored>::min(), Limits::min()) &&
                                  std::cmp_less_equal(std::numeric_limits<Stored>::max(), Limits::max());
  [[maybe_unused]] bool is_held = true;
  for (std::size_t i = 0; i < count; ++i) {
    const Stored value = gather<sizeof(Stored), Stored>(planes, stride, first + i);
    if constexpr (!is_always_held)
      is_held &= std::cmp_greater_equal(value, Limits::min()) && std::cmp_less_equal(value, Limits::max());
    values[i] = static_cast<T>(value);
  }
  return is_held;
}

template <class T>
bool join_into(const std::uint8_t* planes, std::size_t stride, std::size_t width, bool is_signed_source,
               std::size_t first, std::size_t count, T* values) {
  const auto from = [&](auto stored) { return join<decltype(stored)>(planes, stride, first, count, values); };
  switch (width) {
    case 1:
      return is_signed_source ? from(std::int8_t{}) : from(std::uint8_t{});
    case 2:
      return is_signed_source ? from(std::int16_t{}) : from(std::uint16_t{});
    case 4:
      return is_signed_source ? from(std::int32_t{}) : from(std::uint32_t{});
    case 8:
      return is_signed_source ? from(std::int64_t{}) : from(std::uint64_t{});
    default:
      return false;
  }
}

}  // namespace

ValueRange range_of(const void* values, std::size_t count, ColumnType type) {
  return with_type(type, [&](auto t) { return scan(static_cast<const decltype(t)*>(values), count); });
}

std::uint64_t element(const void* values, std::size_t index, ColumnType type) {
  return with_type(type, [&](auto t) {
    using T = decltype(t);
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<std::uint64_t>(static_cast<Wide>(static_cast<const T*>(values)[index]));
  });
}

bool are_all(const void* values, std::size_t count, ColumnType type, std::uint64_t value) {
  constexpr std::size_t kAtOnce = 512;  // a difference is mostly found in the first of them
  return with_type(type, [&](auto t) {
    using Bits = std::make_unsigned_t<decltype(t)>;
    const auto* const typed = static_cast<const decltype(t)*>(values);
    Bits different = 0;
    for (std::size_t first = 0; first < count && different == 0; first += kAtOnce) {
      const std::size_t end = std::min(count, first + kAtOnce);
      for (std::size_t i = first; i < end; ++i)
        different = static_cast<Bits>(different | (static_cast<Bits>(typed[i]) ^ static_cast<Bits>(value)));
    }
    return different == 0;
  });
}

void fill_elements(void* values, std::size_t count, ColumnType type, std::uint64_t value) {
  with_type(type,
            [&](auto t) { std::fill_n(static_cast<decltype(t)*>(values), count, static_cast<decltype(t)>(value)); });
}

void split_planes(const void* values, std::size_t count, ColumnType type, std::size_t width, std::size_t stride,
                  std::uint8_t* planes) {
  with_type(type, [&](auto t) {
    for (std::size_t plane = 0; plane < width; ++plane)
      split_one(static_cast<const decltype(t)*>(values), count, plane, planes + plane * stride);
  });
}

bool join_planes(const std::uint8_t* planes, std::size_t stride, std::size_t width, bool is_signed_source,
                 std::size_t first, std::size_t count, ColumnType type, void* values) {
  return with_type(type, [&](auto t) {
    return join_into(planes, stride, width, is_signed_source, first, count, static_cast<decltype(t)*>(values));
  });
}

std::uint8_t* scratch_bytes(std::size_t bytes) {
  thread_local std::vector<std::uint8_t> buffer;
  if (buffer.size() < bytes) buffer.resize(bytes);
  return buffer.data();
}

#if MERIDIAN_HAVE_LIBDEFLATE

namespace {
struct FreeCompressor {
  void operator()(libdeflate_compressor* raw) const noexcept { libdeflate_free_compressor(raw); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* raw) const noexcept { libdeflate_free_decompressor(raw); }
};
}  // namespace

bool has_own_deflate() noexcept { return true; }

std::span<const std::uint8_t> deflate_bytes(std::span<const std::uint8_t> bytes, int level) {
  // One compressor for all columns: it is large (several 100 KiB) and keeps no state between calls.
  thread_local std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor;
  thread_local int current_level = 0;
  thread_local std::vector<std::uint8_t> out;
  if (!compressor || current_level != level) {
    compressor.reset(libdeflate_alloc_compressor(level));
    current_level = level;
    if (!compressor) return {};
  }
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor.get(), bytes.size());
  if (out.size() < bound) out.resize(bound);
  return {out.data(), libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size())};
}

namespace {

constexpr double kMostlyRepeated = 15.0 / 16, kOftenRepeated = 1.0 / 2;  // shares of a plane

// Whether a general compressor gains nothing against a code for single bytes, by a sample of the plane.
bool is_noise(std::span<const std::uint8_t> plane, int level) {
  constexpr std::size_t kSample = 12288;
  constexpr double kGain = 0.97, kBitsOfCode = 8 * 80;
  if (plane.size() < 2 * kSample) return false;
  const auto sample = plane.subspan((plane.size() - kSample) / 2, kSample);
  std::array<std::uint32_t, 256> uses{};
  for (const std::uint8_t byte : sample) ++uses[byte];
  double bits = kBitsOfCode;
  for (const std::uint32_t count : uses)
    if (count != 0) bits += count * std::log2(static_cast<double>(kSample) / count);
  return static_cast<double>(deflate_bytes(sample, level).size()) * 8 > kGain * bits;
}

// A chunk of which only the planes that vary are in memory.
class Planes {
 public:
  Planes(const void* values, std::size_t count, const ChunkCoding& coding)
      : coding_{coding}, bytes_{scratch_bytes(coding.width * coding.stride)} {
    with_type(coding.type, [&](auto t) {
      const auto* const typed = static_cast<const decltype(t)*>(values);
      varying_ = varying_bits(typed, count);
      if (count == 0) return;
      first_ = static_cast<std::make_unsigned_t<decltype(t)>>(typed[0]);
      if (count < coding.stride) varying_ |= first_;  // the rest is zero
      for (std::size_t plane = 0; plane < coding.width; ++plane) {
        if (!varies(plane)) continue;
        split_one(typed, count, plane, at(plane));
        std::memset(at(plane) + count, 0, coding.stride - count);
      }
    });
  }

  bool varies(std::size_t plane) const noexcept { return (varying_ >> (8 * plane) & 0xff) != 0; }
  std::span<const std::uint8_t> plane(std::size_t index) const { return {at(index), coding_.stride}; }
  std::uint8_t value(std::size_t plane) const noexcept { return static_cast<std::uint8_t>(first_ >> (8 * plane)); }
  /// The number of planes from `plane` on that are one value in all.
  std::size_t same_from(std::size_t plane) const noexcept {
    std::size_t end = plane;
    while (end < coding_.width && !varies(end) && value(end) == value(plane)) ++end;
    return end - plane;
  }
  std::span<const std::uint8_t> all() {
    for (std::size_t plane = 0; plane < coding_.width; ++plane)
      if (!varies(plane)) std::memset(at(plane), value(plane), coding_.stride);
    return {bytes_, coding_.width * coding_.stride};
  }

 private:
  std::uint8_t* at(std::size_t plane) const noexcept { return bytes_ + plane * coding_.stride; }

  const ChunkCoding& coding_;
  std::uint8_t* bytes_;
  std::uint64_t varying_ = 0, first_ = 0;
};

}  // namespace

std::span<const std::uint8_t> encode_chunk(const void* values, std::size_t count, const ChunkCoding& coding) {
  Planes planes{values, count, coding};
  std::array<std::size_t, sizeof(std::uint64_t)> distances{};
  for (std::size_t plane = 0; plane < coding.width; ++plane) {
    if (!planes.varies(plane)) continue;
    const Repeats repeats = find_repeats(planes.plane(plane));
    const bool is_coded = coding.is_noisy || repeats.share >= kMostlyRepeated ||
                          (coding.may_be_noisy && is_noise(planes.plane(plane), coding.level));
    // Deflated even without gain: the stream's checksum reveals damage.
    if (!is_coded) return deflate_bytes(planes.all(), coding.level);
    distances[plane] = repeats.share < kOftenRepeated ? 0 : repeats.distance;
  }
  thread_local PlaneDeflater deflater;
  deflater.begin();
  for (std::size_t plane = 0; plane < coding.width;) {
    const std::size_t same = planes.same_from(plane);
    if (same > 0) {
      deflater.add_constant(planes.value(plane), same * coding.stride);
    } else {
      const auto bytes = planes.plane(plane);
      deflater.add(bytes, distances[plane], libdeflate_adler32(deflater.adler(), bytes.data(), bytes.size()));
    }
    plane += std::max<std::size_t>(same, 1);
  }
  return deflater.end();
}

bool inflate_bytes(std::span<const std::uint8_t> stream, std::span<std::uint8_t> out) {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor{
      libdeflate_alloc_decompressor()};
  return decompressor && libdeflate_zlib_decompress(decompressor.get(), stream.data(), stream.size(), out.data(),
                                                    out.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

#else

bool has_own_deflate() noexcept { return false; }
std::span<const std::uint8_t> deflate_bytes(std::span<const std::uint8_t>, int) { return {}; }
std::span<const std::uint8_t> encode_chunk(const void*, std::size_t, const ChunkCoding&) { return {}; }
bool inflate_bytes(std::span<const std::uint8_t>, std::span<std::uint8_t>) { return false; }

#endif

}  // namespace meridian
