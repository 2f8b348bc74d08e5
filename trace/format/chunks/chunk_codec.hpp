// SPDX-License-Identifier: Apache-2.0
#pragma once

// Applies HDF5's shuffle and deflate filters to one chunk of a column without HDF5: the values' bytes are sorted into
// planes (all lowest bytes, then all second ones, ...), and the planes are compressed as one zlib stream.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/format/tables/column.hpp"

namespace meridian {

/// Properties that determine how a run of values is stored.
struct ValueRange {
  std::size_t width = 1;    ///< bytes of the narrowest type of the same signedness that holds all of them
  bool is_constant = true;  ///< all equal
};
ValueRange range_of(const void* values, std::size_t count, ColumnType type);

/// Element `index` as 64 bits, sign-extended.
std::uint64_t element(const void* values, std::size_t index, ColumnType type);

/// Whether all elements are `value`, as of element().
bool are_all(const void* values, std::size_t count, ColumnType type, std::uint64_t value);

/// Stores `value` in all elements.
void fill_elements(void* values, std::size_t count, ColumnType type, std::uint64_t value);

/// Writes the lowest `width` bytes of each value, plane by plane; a plane has room for `stride` elements, the rest is
/// unchanged.
void split_planes(const void* values, std::size_t count, ColumnType type, std::size_t width, std::size_t stride,
                  std::uint8_t* planes);

/// The inverse for elements [first, first + count) of planes of `width` bytes of a type with sign `is_signed_source`;
/// false if a value does not fit `type`.
bool join_planes(const std::uint8_t* planes, std::size_t stride, std::size_t width, bool is_signed_source,
                 std::size_t first, std::size_t count, ColumnType type, void* values);

/// Whether this build compresses without HDF5.
bool has_own_deflate() noexcept;

/// zlib stream of `bytes`, valid until the next call in this thread; empty if this build cannot compress.
std::span<const std::uint8_t> deflate_bytes(std::span<const std::uint8_t> bytes, int level);

/// Properties of a column that determine how its chunks are compressed.
struct ChunkCoding {
  ColumnType type{};
  std::size_t width = 0;   ///< bytes of an element in the file
  std::size_t stride = 0;  ///< elements of a whole chunk
  int level = 1;
  bool is_noisy = false;      ///< as in ColumnOptions
  bool may_be_noisy = false;  ///< likewise
};
/// zlib stream of the planes of a chunk, valid until the next call in this thread; empty if this build cannot compress.
/// Elements after the first `count` are zero.
std::span<const std::uint8_t> encode_chunk(const void* values, std::size_t count, const ChunkCoding& coding);

/// Inflates exactly out.size() bytes; false: damaged, another length, or this build cannot decompress.
bool inflate_bytes(std::span<const std::uint8_t> stream, std::span<std::uint8_t> out);

/// A buffer of this thread with at least `bytes` bytes, contents unspecified; later calls return the same one.
std::uint8_t* scratch_bytes(std::size_t bytes);

}  // namespace meridian
