// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns: 1-D datasets of integers (or doubles), chunked, shuffle + deflate, written in order and read by ranges.
// libdeflate compresses the chunks, two to three times faster than HDF5's own pipeline; the result on disk is an
// ordinary dataset either way. Without libdeflate (MERIDIAN_LIBDEFLATE=OFF) HDF5 compresses.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/table_column.hpp"

namespace meridian {

class ChunkLogWriter;
class ChunkPool;
class PlaneStore;
class RawFile;
class StateReader;
class StateWriter;
struct LoggedChunk;

/// Elements in a full chunk. A shorter column has one chunk of its own length, or is stored in its object header.
inline constexpr std::uint32_t kColumnChunk = 65536;

struct ColumnOptions {
  int level = 1;                   ///< deflate, 1 to 9
  bool is_narrow = false;          ///< stored in the smallest type of the same signedness that holds all values
  bool is_noisy = false;           ///< low bytes are noise, as those of times: they are compressed faster
  bool may_be_noisy = false;       ///< the same for chunks of which a sample shows it
  bool omit_empty = false;         ///< a column without elements is not written
  std::string_view unit{};         ///< attribute `unit` unless empty
  std::string_view description{};  ///< attribute `description` unless empty
};

/// The file or group in which columns are created.
struct ColumnParent {
  hid_t id;
  ChunkPool* pool = nullptr;  ///< compresses their chunks, and writes them until its drain()

  ColumnParent(hid_t parent, ChunkPool* with = nullptr)
      : id{parent}, pool{with} {}  // NOLINT(google-explicit-constructor)
};

/// Writes one column from beginning to end. A chunk whose elements all equal the column's fill value is not stored. Not
/// thread-safe; movable. Keeps at most one chunk in memory.
class ColumnWriter {
 public:
  /// Creates the dataset `path` (and missing groups) below `parent`, which must stay open until finish().
  static Result<ColumnWriter> create(ColumnParent parent, std::string path, ColumnType type,
                                     const ColumnOptions& options = {});
  /// Writes the column's chunks to a log, as chunks of `column`; `log` must outlive the writer. Such a writer ends with
  /// save() instead of finish().
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
  /// `values` have the type type().
  Status append_raw(const void* values, std::size_t count);
  /// Writes the remaining elements. A column that was not finished has an unspecified number of elements on disk.
  Status finish();

  /// Takes a chunk from a log unchanged, before any append(). errors: damaged (not a chunk of this column); io.
  Status adopt(const LoggedChunk& chunk);
  /// The state that a writer needs, besides the stored chunks, to continue. restore() comes after adopt() and before
  /// append().
  void save(StateWriter& archive) const;
  /// False: the saved state is not valid.
  bool restore(StateReader& archive);

  ColumnType type() const noexcept;
  /// Elements appended so far.
  std::uint64_t size() const noexcept;

 private:
  struct Impl;
  explicit ColumnWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads ranges of any 1-D integer dataset (or doubles from a floating-point one); fast if it has the layout of
/// ColumnWriter. Does not trust the file: memory is bounded by the chunk limit (8 MiB). Not thread-safe; movable. Keeps
/// one chunk in memory; narrow types stay as narrow as in the file.
class ColumnReader {
 public:
  /// errors  not_found; damaged: not a dataset, not 1-D, neither integer nor floating point.
  static Result<ColumnReader> open(hid_t parent, const std::string& path);
  ColumnReader(ColumnReader&&) noexcept;
  ColumnReader& operator=(ColumnReader&&) noexcept;
  ~ColumnReader();

  std::uint64_t size() const noexcept;

  /// Makes the reader independent of HDF5: from now on it reads the bytes of `file`, which is the open one. False: it
  /// cannot, and HDF5's file has to stay open.
  bool detach(const std::shared_ptr<const RawFile>& file);
  /// Keeps decoded chunks in this store from now on, and no longer in memory, or, without one, in memory again.
  void keep_in(std::shared_ptr<PlaneStore> store);

  /// Reads elements [offset, offset + out.size()). errors: damaged (beyond the end, does not decompress, or a value out
  /// of the range of T), io.
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
