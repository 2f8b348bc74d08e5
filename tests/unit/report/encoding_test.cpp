// SPDX-License-Identifier: Apache-2.0
#include "report/data/encoding.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <limits>
#include <string>

namespace meridian {
namespace {

TEST(PageEncoding, OfNumbersIsSevenBitsAByteLowestFirst) {
  PackedNumbers numbers;
  for (const std::uint64_t value : {0ULL, 127ULL, 128ULL, 300ULL, 16384ULL}) numbers.add(value);
  EXPECT_EQ(numbers.bytes(), std::string("\x00\x7f\x80\x01\xac\x02\x80\x80\x01", 9));
}

TEST(PageEncoding, OfSignedNumbersAlternates) {
  PackedNumbers numbers;
  for (const std::int64_t value : {0LL, -1LL, 1LL, -2LL, 63LL}) numbers.add_signed(value);
  EXPECT_EQ(numbers.bytes(), std::string("\x00\x01\x02\x03\x7e", 5));
  PackedNumbers extremes;
  extremes.add_signed(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(extremes.bytes(), std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10));
}

/// Said in another way than the encoder: by the place of each character in the alphabet.
std::string from_base64(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                                             : 63;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xffU);
    }
  }
  return bytes;
}

TEST(PageEncoding, OfBytesComesBackThroughZlib) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 1000U, 300000U}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * i >> 3U);
    const std::string packed = packed_text(bytes);
    EXPECT_EQ(packed.size() % 4, 0U);
    const std::string inside = from_base64(packed);
    std::string back(size + 1, '\0');
    uLongf length = back.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(back.data()), &length, reinterpret_cast<const Bytef*>(inside.data()),
                         inside.size()),
              Z_OK);
    back.resize(length);
    EXPECT_EQ(back, bytes) << size;
  }
}

}  // namespace
}  // namespace meridian
