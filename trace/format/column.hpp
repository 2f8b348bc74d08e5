// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns: 1-D datasets of integers (or doubles), chunked, shuffle + deflate, written in order and read by ranges.
// The chunks are compressed here with libdeflate, two to three times faster than in HDF5's own pipeline; what is on
// disk is an ordinary dataset either way. Without libdeflate (MERIDIAN_LIBDEFLATE=OFF) the pipeline does the work.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trace/format/h5.hpp"
#include "trace/format/table_column.hpp"

namespace meridian {

class ChunkLogWriter;
class StateReader;
class StateWriter;
struct LoggedChunk;

/// Elements in a full chunk. A column that is shorter has one chunk of its own length, or lies in its object header.
inline constexpr std::uint32_t kColumnChunk = 65536;

struct ColumnOptions {
  int level = 1;                   ///< deflate, 1 to 9
  bool is_narrow = false;          ///< stored in the smallest type of the same signedness that holds all values
  bool omit_empty = false;         ///< a column without elements leaves no dataset
  std::string_view unit{};         ///< attribute `unit` when not empty
  std::string_view description{};  ///< attribute `description` when not empty
};

/// Writes one column from its beginning to its end. A chunk whose elements all equal the column's fill value is not
/// stored at all. Not thread-safe; movable. Keeps at most one chunk in memory.
class ColumnWriter {
 public:
  /// The dataset `path` (missing groups are made) below `parent`, which must stay open until finish().
  static Result<ColumnWriter> create(hid_t parent, std::string path, ColumnType type,
                                     const ColumnOptions& options = {});
  /// The column's chunks go to a log, as chunks of `column`; `log` must outlive the writer. finish() is not for it:
  /// what is left is for save().
  static ColumnWriter create_in_log(ChunkLogWriter& log, std::uint32_t column, ColumnType type,
                                    const ColumnOptions& options = {});
  ColumnWriter(ColumnWriter&&) noexcept;
  ColumnWriter& operator=(ColumnWriter&&) noexcept;
  ~ColumnWriter();

  /// T must be the type that the column was created with.
  template <class T, std::size_t N>
  Status append(std::span<T, N> values) {
    MERIDIAN_CHECK(type() == column_type<std::remove_const_t<T>>);
    return append_raw(values.data(), values.size());
  }
  /// `values` are of type().
  Status append_raw(const void* values, std::size_t count);
  /// Writes what is left. A column that was not finished has an unspecified number of elements on disk.
  Status finish();

  /// Takes a chunk out of a log as it is, before anything was appended. errors: damaged (no chunk of this column); io.
  Status adopt(const LoggedChunk& chunk);
  /// The state that a writer needs besides the stored chunks to go on. restore() comes after adopt(), and before
  /// append().
  void save(StateWriter& archive) const;
  /// False: it cannot be.
  bool restore(StateReader& archive);

  ColumnType type() const noexcept;
  /// Elements appended so far.
  std::uint64_t size() const noexcept;

 private:
  struct Impl;
  explicit ColumnWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads ranges of any 1-D integer dataset (or doubles from a floating-point one), fast when it is laid out as
/// ColumnWriter does. Nothing in the file is trusted: memory is bounded by the chunk limit (8 MiB), whatever it says.
/// Not thread-safe; movable. Keeps one chunk, compressed types stay as narrow as they are in the file.
class ColumnReader {
 public:
  /// errors  not_found; damaged: no dataset, not 1-D, neither integer nor floating point.
  static Result<ColumnReader> open(hid_t parent, const std::string& path);
  ColumnReader(ColumnReader&&) noexcept;
  ColumnReader& operator=(ColumnReader&&) noexcept;
  ~ColumnReader();

  std::uint64_t size() const noexcept;

  /// Elements [offset, offset + out.size()). errors: damaged (beyond the end, does not decompress, or a value that T
  /// cannot hold where the file's type is wider than T), io.
  template <class T>
  Status read(std::uint64_t offset, std::span<T> out) {
    return read_raw(offset, out.data(), out.size(), column_type<T>);
  }
  /// `out` has room for `count` values of `type`.
  Status read_raw(std::uint64_t offset, void* out, std::size_t count, ColumnType type);

 private:
  struct Impl;
  explicit ColumnReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace meridian
