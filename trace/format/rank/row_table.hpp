// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of a rank file that may be long, in which each row has a time, and to which events do not refer: /processor, /memory, /energy.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "trace/model/result.hpp"

namespace meridian {

/// Adds such a table to a rank file. Without rows it changes nothing.
template <class Row>
class RowTableWriter {
 public:
  /// `file`: RankFileWriter::id(); the writer is finished before that of the rank file.
  explicit RowTableWriter(std::int64_t file);
  RowTableWriter(const RowTableWriter&) = delete;
  RowTableWriter& operator=(const RowTableWriter&) = delete;
  ~RowTableWriter();

  /// Takes the next row, in order of time. errors: io
  Status push(const Row& row);
  Status finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads such a table by pieces.
template <class Row>
class RowTable {
 public:
  /// `group`: of a container; empty: a file of the rank's own. A file without the table has an empty one.
  /// errors  not_found, damaged, io
  static Result<RowTable> open(const std::filesystem::path& path, const std::string& group);
  RowTable(RowTable&&) noexcept;
  RowTable& operator=(RowTable&&) noexcept;
  ~RowTable();

  std::uint64_t size() const noexcept;
  /// The next rows; empty at the end. All are valid. errors: damaged, io
  Result<std::span<const Row>> next();

 private:
  struct Impl;
  explicit RowTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace meridian
