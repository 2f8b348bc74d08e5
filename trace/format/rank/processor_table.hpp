// SPDX-License-Identifier: Apache-2.0
#pragma once

// The intervals of a rank file in which threads had no processor. Events do not refer to them: they have a reader of their own.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "trace/model/result.hpp"

namespace meridian {

/// An interval in which a thread had no processor, or several short ones with the time between them.
struct ProcessorRow {
  std::uint64_t ticks = 0;   ///< at the end: it has a processor again
  std::uint64_t length = 0;  ///< in ticks
  std::uint64_t ran = 0;     ///< ticks of that between several intervals; 0 for one
  std::uint32_t thread = 0;  ///< ThreadId
  std::uint32_t count = 1;   ///< intervals
  bool is_ready = false;     ///< could have gone on when it left the processor; otherwise it slept

  bool is_valid() const noexcept { return count != 0 && length <= ticks && ran <= length && (count > 1 || ran == 0); }
};

/// Adds intervals without a processor to a rank file. Without any it changes nothing.
class ProcessorTableWriter {
 public:
  /// `file`: RankFileWriter::id(); the writer is finished before that of the rank file.
  explicit ProcessorTableWriter(std::int64_t file);
  ProcessorTableWriter(const ProcessorTableWriter&) = delete;
  ProcessorTableWriter& operator=(const ProcessorTableWriter&) = delete;
  ~ProcessorTableWriter();

  /// Takes the next interval, in order of the end.
  Status push(const ProcessorRow& row);
  Status finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads the intervals of a rank file by pieces.
class ProcessorTable {
 public:
  /// `group`: of a container; empty: a file of the rank's own. A file without intervals has an empty table.
  /// errors  not_found, damaged, io
  static Result<ProcessorTable> open(const std::filesystem::path& path, const std::string& group);
  ProcessorTable(ProcessorTable&&) noexcept;
  ProcessorTable& operator=(ProcessorTable&&) noexcept;
  ~ProcessorTable();

  std::uint64_t size() const noexcept;
  /// The next intervals; empty at the end. All are valid. errors: damaged, io
  Result<std::span<const ProcessorRow>> next();

 private:
  struct Impl;
  explicit ProcessorTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace meridian
