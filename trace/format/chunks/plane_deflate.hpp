// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fast encoder for planes of a chunk (chunk_codec.hpp) that a general compressor spends its time on without gain:
// noise, such as the low bytes of times, and bytes that repeat with one period. Each plane is one block of a deflate
// stream, with its own Huffman code; matches have one distance. Source: RFC 1950, RFC 1951.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/format/chunks/plane_matches.hpp"

namespace meridian {

/// Makes one zlib stream after another.
class PlaneDeflater {
 public:
  void begin();
  /// Appends bytes; runs of bytes that equal those `distance` before them become matches. 0: all bytes are literals.
  /// `adler` is the checksum of the stream up to here, with `plane`.
  void add(std::span<const std::uint8_t> plane, std::size_t distance, std::uint32_t adler);
  /// Appends `count` > 0 bytes of one value.
  void add_constant(std::uint8_t value, std::size_t count);
  /// Adler-32 of the bytes so far.
  std::uint32_t adler() const noexcept { return adler_; }
  /// The stream, valid until the next begin().
  std::span<const std::uint8_t> end();

 private:
  /// The bits of a token: its code, extra bits, and the distance of a match.
  struct Code {
    std::uint32_t bits = 0;
    std::uint32_t count = 0;
  };
  static constexpr std::size_t kTokens = 512;  // 256 literals, then matches of 3 to 258 bytes

  std::span<const std::uint16_t> find_tokens(std::span<const std::uint8_t> plane, std::size_t distance);
  /// Appends tokens for a match; returns their end.
  static std::uint16_t* add_match(std::uint16_t* token, std::size_t bytes);
  /// Writes tokens as a block, bytes as literals; without `stored`, they are smaller than the bytes for certain.
  template <class Token>
  void write_tokens(std::span<const Token> tokens, std::size_t distance, std::span<const std::uint8_t> stored);
  /// Returns the bits of all tokens, and fills in their codes.
  std::uint64_t make_codes(std::span<const std::uint32_t> uses, std::size_t distance);
  void write_lengths(std::span<const std::uint8_t> lengths, std::size_t literals, std::size_t distances);
  void write_stored(std::span<const std::uint8_t> bytes);
  void reserve(std::size_t bytes);
  void put(std::uint32_t bits, std::uint32_t count);
  void align();

  std::vector<std::uint8_t> out_;
  std::size_t size_ = 0;       // complete bytes in out_
  std::uint64_t pending_ = 0;  // bits that are no complete byte yet
  std::uint32_t pending_count_ = 0;
  std::uint32_t adler_ = 1;
  std::vector<std::uint16_t> tokens_;  // room for those of a plane
  PlaneMatches matches_;
  std::vector<std::uint8_t> lengths_;  // of the codes of symbols: literals and lengths, then distances
  Code codes_[kTokens];
};

}  // namespace meridian
