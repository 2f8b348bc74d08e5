// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meridian {

/// A message of protocol buffers, encoded field by field (protobuf.dev, "Encoding").
class ProtoMessage {
 public:
  ProtoMessage& number(std::uint32_t field, std::uint64_t value) {
    varint(key(field, 0));
    varint(value);
    return *this;
  }
  /// A negative value takes ten bytes: int32 and int64, not sint.
  ProtoMessage& integer(std::uint32_t field, std::int64_t value) {
    return number(field, static_cast<std::uint64_t>(value));
  }
  ProtoMessage& fixed64(std::uint32_t field, std::uint64_t value) {
    varint(key(field, 1));
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>((value >> shift) & 0xffU);
    return *this;
  }
  ProtoMessage& text(std::uint32_t field, std::string_view value) {
    varint(key(field, 2));
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(std::uint32_t field, const ProtoMessage& value) { return text(field, value.bytes_); }

  const std::string& bytes() const noexcept { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  static constexpr std::uint64_t key(std::uint32_t field, std::uint32_t wire_type) { return field << 3U | wire_type; }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace meridian
