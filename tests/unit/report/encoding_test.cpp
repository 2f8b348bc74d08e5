// SPDX-License-Identifier: Apache-2.0
#include "report/data/encoding.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "unpacked.hpp"

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

TEST(PageEncoding, OfBytesComesBackThroughZlib) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 1000U, 300000U}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * i >> 3U);
    const std::string packed = packed_text(bytes);
    EXPECT_EQ(packed.size() % 4, 0U);
    EXPECT_EQ(unpacked(packed, size), bytes) << size;
  }
}

}  // namespace
}  // namespace meridian
