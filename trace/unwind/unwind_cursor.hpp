// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace meridian {

/// Reads consecutive encoded values.
class Cursor {
 public:
  Cursor(const unsigned char* at, const unsigned char* end) noexcept : at_{at}, end_{end} {}
  bool is_over() const noexcept { return at_ >= end_; }
  bool has_failed() const noexcept { return has_failed_; }
  const unsigned char* at() const noexcept { return at_; }

  template <class T>
  T fixed() noexcept {
    T value{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof value) return fail(), value;
    memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t uleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return fail(), 0;
  }
  std::int64_t sleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
      const auto byte = fixed<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
    return fail(), 0;
  }
  /// A pointer in one of the DW_EH_PE_* encodings without indirection; 0 for other encodings.
  std::uintptr_t pointer(std::uint8_t encoding) noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(at_);
    std::uintptr_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = fixed<std::uint64_t>();
        break;
      case 0x03:
        value = fixed<std::uint32_t>();
        break;
      case 0x0b:
        value = static_cast<std::uintptr_t>(static_cast<std::int64_t>(fixed<std::int32_t>()));
        break;
      default:
        return fail(), 0;
    }
    const unsigned base = encoding & 0x70;
    if (base == 0x10) return value + here;
    if (base != 0) fail();
    return value;
  }
  void skip(std::uint64_t bytes) noexcept {
    if (bytes > static_cast<std::uint64_t>(end_ - at_)) return fail();
    at_ += bytes;
  }
  Cursor part(std::uint64_t bytes) noexcept {
    const unsigned char* const begin = at_;
    skip(bytes);
    return {begin, at_};
  }
  void fail() noexcept {
    has_failed_ = true;
    at_ = end_;
  }

 private:
  const unsigned char* at_;
  const unsigned char* end_;
  bool has_failed_ = false;
};

}  // namespace meridian
