// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/format/chunks/plane_store.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// The planes (chunk_codec.hpp) of one decoded chunk of a column. They are in memory, or in a PlaneStore, if there is one:
/// then only short planes and the values of constant ones take memory.
class ChunkPlanes {
 public:
  ChunkPlanes() = default;
  ChunkPlanes(const ChunkPlanes&) = delete;
  ChunkPlanes& operator=(const ChunkPlanes&) = delete;
  ~ChunkPlanes() { clear(); }

  /// For chunks that are decoded from now on.
  void keep_in(std::shared_ptr<PlaneStore> store);

  /// Room for the next chunk, planes of `rows` bytes each: to be filled in before keep(). What was there is dropped.
  std::span<std::uint8_t> prepare(std::size_t rows, std::size_t width);
  /// errors  io: of the store
  Status keep();
  /// The values of elements [first, first + count), as join_planes() makes them; `is_held` becomes false if one does not
  /// fit `type`. errors: io: of the store
  Status join(std::size_t first, std::size_t count, bool is_signed_source, ColumnType type, void* values,
              bool& is_held);

 private:
  static constexpr std::size_t kMostWidth = 8;
  static constexpr std::size_t kShort = 4096;  ///< a plane of that many bytes costs less in memory than to be read
  enum class Place : std::uint8_t { constant, memory, store };
  struct Plane {
    Place place{};
    std::uint64_t at = 0;  ///< its value, its first byte in bytes_, or its block
  };
  void clear();

  std::shared_ptr<PlaneStore> store_;
  std::vector<std::uint8_t> bytes_;  // all planes; with a store, the short ones
  std::size_t rows_ = 0, width_ = 0;
  bool is_split_ = false;  // planes_ says where they are
  std::array<Plane, kMostWidth> planes_{};
};

}  // namespace meridian
