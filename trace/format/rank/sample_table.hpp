// SPDX-License-Identifier: Apache-2.0
#pragma once

// The samples of a rank file: the code that threads were in at steps of their processor time. Events do not refer to them, so that
// a rank file is read without them, and they by a reader of their own.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct SampleRow {
  std::uint64_t ticks = 0;
  std::uint32_t thread = 0;  ///< ThreadId
  std::uint32_t stack = 0;   ///< row of the stacks of samples; 0: unknown
};

/// Adds samples to a rank file. Without samples it changes nothing.
class SampleTableWriter {
 public:
  /// `file`: RankFileWriter::id(); the writer is finished before that of the rank file.
  explicit SampleTableWriter(std::int64_t file);
  SampleTableWriter(const SampleTableWriter&) = delete;
  SampleTableWriter& operator=(const SampleTableWriter&) = delete;
  ~SampleTableWriter();

  /// Takes the next sample, in order of time.
  Status push(const SampleRow& row);
  /// `stacks` begin with row 0, which is no stack; parents are earlier rows.
  Status finish(const std::vector<StackRow>& stacks);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads the samples of a rank file by pieces.
class SampleTable {
 public:
  /// `group`: of a container; empty: a file of the rank's own. A file without samples has an empty table.
  /// errors  not_found, damaged, io
  static Result<SampleTable> open(const std::filesystem::path& path, const std::string& group);
  SampleTable(SampleTable&&) noexcept;
  SampleTable& operator=(SampleTable&&) noexcept;
  ~SampleTable();

  std::uint64_t size() const noexcept;
  /// Beginning with row 0, which is no stack; parents are earlier rows. Empty without samples.
  const std::vector<StackRow>& stacks() const noexcept;
  /// The next samples; empty at the end. They refer to stacks. errors: damaged, io
  Result<std::span<const SampleRow>> next();

 private:
  struct Impl;
  explicit SampleTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace meridian
