// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compressed chunks of columns, in the form of the rank file and in the order of their completion: the file to which a
// writer saves its results while the program runs. It is only appended to; a checkpoint stores how much of it is valid.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "trace/model/handles.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A whole chunk (kColumnChunk elements) of one column.
struct LoggedChunk {
  std::uint32_t column = 0;              ///< as in the checkpoint
  std::uint32_t width = 0;               ///< bytes of an element; 0: all elements are `value`
  std::uint64_t value = 0;               ///< sign-extended
  std::span<const std::uint8_t> stream;  ///< planes of `width` bytes, deflated
};

int close_log(int file) noexcept;
using LogFile = Unique<&close_log, -1>;

class ChunkLogWriter {
 public:
  /// Creates a file that only its owner can read. errors: io (it exists, is a link, cannot be created).
  static Result<ChunkLogWriter> create(const std::filesystem::path& path);
  /// Continues after `bytes`, and discards the rest. errors: io; damaged (the file is shorter).
  static Result<ChunkLogWriter> open(const std::filesystem::path& path, std::uint64_t bytes);

  /// errors  io
  Status append(const LoggedChunk& chunk);
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  static Result<ChunkLogWriter> open(const std::filesystem::path& path, std::uint64_t bytes, int how);
  std::filesystem::path path_;
  LogFile file_;
  std::uint64_t bytes_ = 0;
};

class ChunkLogReader {
 public:
  /// Opens the first `bytes` of the log. errors: not_found, io, damaged (it is shorter).
  static Result<ChunkLogReader> open(const std::filesystem::path& path, std::uint64_t bytes);

  /// False at the end. `chunk` is valid until the next call. errors: damaged, io.
  Result<bool> next(LoggedChunk& chunk);

 private:
  Error damaged(const char* reason) const;
  Status read(void* out, std::size_t count);

  std::filesystem::path path_;
  LogFile file_;
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;
  std::vector<std::uint8_t> stream_;
};

/// Checksum of bytes; detects damage by a disk or a copy, not deliberate changes.
std::uint64_t checksum_of(std::span<const std::uint8_t> bytes, std::uint64_t seed = 0) noexcept;

}  // namespace meridian
