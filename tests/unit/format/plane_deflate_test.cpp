// SPDX-License-Identifier: Apache-2.0
// Streams of our encoder are inflated by libdeflate here, and by HDF5's zlib where columns are read with h5py.
#include "trace/format/chunks/plane_deflate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/seed.hpp"
#include "trace/format/chunks/chunk_codec.hpp"

namespace meridian {
namespace {

using Bytes = std::vector<std::uint8_t>;

class PlaneDeflate : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_own_deflate()) GTEST_SKIP() << "without libdeflate there is nothing to inflate with";
  }
};

// Adler-32 as RFC 1950 defines it.
std::uint32_t adler_of(const Bytes& bytes) {
  std::uint64_t low = 1, high = 0;
  for (const std::uint8_t byte : bytes) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return static_cast<std::uint32_t>(high << 16 | low);
}

// The size of the stream, which must be that of `bytes`.
std::size_t deflated(const Bytes& bytes, std::size_t distance) {
  PlaneDeflater deflater;
  deflater.begin();
  deflater.add(bytes, distance, adler_of(bytes));
  const auto stream = deflater.end();
  Bytes back(bytes.size());
  EXPECT_TRUE(inflate_bytes(stream, back)) << bytes.size() << " bytes, distance " << distance;
  EXPECT_TRUE(back == bytes) << bytes.size() << " bytes, distance " << distance;
  return stream.size();
}

TEST_F(PlaneDeflate, KeepsBytesOfAnyKindAtAnyDistance) {
  std::mt19937_64 random{test::seeded(1)};
  for (int round = 0; round < 300; ++round) {
    Bytes bytes(1 + random() % (round % 10 == 0 ? 70'000 : 3000));
    const std::uint64_t values = 1 + random() % 256, period = 1 + random() % kMostDistance, noise = random() % 40;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = i < period || random() % 40 < noise ? static_cast<std::uint8_t>(random() % values) : bytes[i - period];
    for (const std::size_t distance : {std::size_t{0}, std::size_t{1}, std::size_t{period}}) deflated(bytes, distance);
  }
}

TEST_F(PlaneDeflate, WritesMatchesOfEachLength) {
  Bytes bytes{1};
  for (std::size_t run = 1; run <= 600; ++run) {
    bytes.push_back(static_cast<std::uint8_t>(run % 2));
    bytes.insert(bytes.end(), run, static_cast<std::uint8_t>(2 + run % 3));
  }
  deflated(bytes, 1);
}

TEST_F(PlaneDeflate, WritesMatchesAtEachDistance) {
  for (std::size_t distance = 1; distance <= kMostDistance; ++distance) {
    Bytes bytes(2000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i % distance * 7);
    EXPECT_LT(deflated(bytes, distance), distance + 200);
  }
}

// The depths of an unlimited Huffman code exceed 15 bits here: uses are Fibonacci numbers.
TEST_F(PlaneDeflate, LimitsTheLengthOfItsCodes) {
  Bytes bytes;
  std::size_t before = 1, now = 1;
  for (std::uint8_t value = 0; value < 22; ++value) {
    bytes.insert(bytes.end(), now, value);
    before = std::exchange(now, before + now);
  }
  deflated(bytes, 0);
  for (int i = 0; i < 230; ++i) bytes.push_back(static_cast<std::uint8_t>(i + 22));
  deflated(bytes, 0);
}

TEST_F(PlaneDeflate, StoresWhatDoesNotCompress) {
  std::mt19937_64 random{test::seeded(2)};
  Bytes bytes(65536);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  EXPECT_LE(deflated(bytes, 0), bytes.size() + 24);
}

TEST_F(PlaneDeflate, PutsPlanesOneAfterTheOther) {
  std::mt19937_64 random{test::seeded(3)};
  PlaneDeflater deflater;
  for (int round = 0; round < 3; ++round) {  // the same object again and again
    Bytes expected;
    deflater.begin();
    for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 261u, 65536u, 700'000u}) {
      const auto value = static_cast<std::uint8_t>(random());
      deflater.add_constant(value, count);
      expected.insert(expected.end(), count, value);
      Bytes plane(1000);
      for (std::uint8_t& byte : plane) byte = static_cast<std::uint8_t>(random() % 10);
      expected.insert(expected.end(), plane.begin(), plane.end());
      deflater.add(plane, 0, adler_of(expected));
      EXPECT_EQ(deflater.adler(), adler_of(expected));
    }
    const auto stream = deflater.end();
    Bytes back(expected.size());
    EXPECT_TRUE(inflate_bytes(stream, back));
    EXPECT_TRUE(back == expected);
  }
}

TEST_F(PlaneDeflate, ComputesTheChecksumOfConstants) {
  PlaneDeflater deflater;
  deflater.begin();
  Bytes all;
  for (const std::size_t count : {1u, 17u, 65521u, 70'000u, 458'752u}) {
    deflater.add_constant(251, count);
    all.insert(all.end(), count, 251);
    EXPECT_EQ(deflater.adler(), adler_of(all)) << count;
  }
}

TEST_F(PlaneDeflate, FindsThePeriodOfAPlane) {
  std::mt19937_64 random{test::seeded(4)};
  Bytes plane(65536);
  for (const std::size_t period : {1u, 2u, 3u, 7u, 64u, 255u, 256u}) {
    for (std::size_t i = 0; i < plane.size(); ++i)
      plane[i] = i < period ? static_cast<std::uint8_t>(random()) : plane[i - period];
    const Repeats repeats = find_repeats(plane);
    EXPECT_EQ(repeats.distance, period);
    EXPECT_EQ(repeats.share, 1.0);
  }
  for (std::uint8_t& byte : plane) byte = static_cast<std::uint8_t>(random());
  EXPECT_LT(find_repeats(plane).share, 0.1);
  EXPECT_EQ(find_repeats(std::span{plane}.first(100)).distance, 0u);
}

TEST_F(PlaneDeflate, EncodesChunksOfEachTypeAndWidth) {
  std::mt19937_64 random{test::seeded(5)};
  constexpr std::size_t kStride = 5000;
  for (const ColumnType type : {ColumnType::i8, ColumnType::u8, ColumnType::i16, ColumnType::u16, ColumnType::i32,
                                ColumnType::u32, ColumnType::i64, ColumnType::u64, ColumnType::f64})
    for (int kind = 0; kind < 6; ++kind)
      for (const std::size_t count : {kStride, kStride - 1, std::size_t{1}})
        for (const bool is_noisy : {false, true}) {
          const std::size_t bytes = width_of(type);
          Bytes values(count * bytes);
          for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t draw = random();
            const std::uint64_t value[6] = {0, 0x0102'0304'0506'0708, draw, draw % 100, i % 3 * 1000, ~(draw % 60'000)};
            std::memcpy(&values[i * bytes], &value[kind], bytes);
          }
          for (std::size_t width = range_of(values.data(), count, type).width; width <= bytes; width *= 2) {
            const auto stream =
                encode_chunk(values.data(), count,
                             {.type = type, .width = width, .stride = kStride, .level = 1, .is_noisy = is_noisy});
            Bytes planes(kStride * width), back(count * bytes);
            ASSERT_TRUE(inflate_bytes(stream, planes)) << kind << " " << count << " " << width;
            ASSERT_TRUE(join_planes(planes.data(), kStride, width, is_signed(type), 0, count, type, back.data()));
            ASSERT_TRUE(back == values) << kind << " " << count << " " << width;
            for (std::size_t plane = 0; plane < width; ++plane)
              for (std::size_t i = count; i < kStride; ++i) ASSERT_EQ(planes[plane * kStride + i], 0u);
          }
        }
}

TEST_F(PlaneDeflate, MakesNoiseSmallerThanAGeneralCompressor) {
  std::mt19937_64 random{test::seeded(6)};
  std::vector<std::uint64_t> times(65536);
  for (std::uint64_t& time : times) time = 60 + random() % 16 * 2;
  const ChunkCoding coding{.type = ColumnType::u64, .width = 8, .stride = times.size(), .level = 1, .is_noisy = true};
  const std::size_t noisy = encode_chunk(times.data(), times.size(), coding).size();
  EXPECT_LT(noisy, 65536u / 2 + 1000);  // four bits each
  ChunkCoding general = coding;
  general.is_noisy = false;
  EXPECT_LT(noisy, encode_chunk(times.data(), times.size(), general).size());
}

}  // namespace
}  // namespace meridian
