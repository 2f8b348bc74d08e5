// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chunks of columns, compressed as they will be in the rank file, one after another in the order in which they became
// complete: where a writer puts what it has compressed while the program runs. Appended only; how much of the file
// counts, a checkpoint says.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "trace/model/handles.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// A whole chunk (kColumnChunk elements) of one column.
struct LoggedChunk {
  std::uint32_t column = 0;              ///< number, as the checkpoint names it
  std::uint32_t width = 0;               ///< bytes of an element; 0: all elements are `value`
  std::uint64_t value = 0;               ///< sign-extended
  std::span<const std::uint8_t> stream;  ///< planes of `width` bytes, deflated
};

int close_log(int file) noexcept;
using LogFile = Unique<&close_log, -1>;

class ChunkLogWriter {
 public:
  /// A new one, readable only by its owner. errors: io (it exists, is a link, cannot be created).
  static Result<ChunkLogWriter> create(const std::filesystem::path& path);
  /// Goes on behind `bytes`, and forgets what was there. errors: io; damaged (the file is shorter).
  static Result<ChunkLogWriter> open(const std::filesystem::path& path, std::uint64_t bytes);

  /// errors  io
  Status append(const LoggedChunk& chunk);
  /// Puts what was appended on disk, so that it survives a crash of the machine. errors: io
  Status sync();
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  static Result<ChunkLogWriter> open(const std::filesystem::path& path, std::uint64_t bytes, int how);
  std::filesystem::path path_;
  LogFile file_;
  std::uint64_t bytes_ = 0;
};

class ChunkLogReader {
 public:
  /// The first `bytes` of the log. errors: not_found, io, damaged (it is shorter).
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

/// Over bytes; tells what a disk or a copy has damaged, not what somebody has changed on purpose.
std::uint64_t checksum_of(std::span<const std::uint8_t> bytes, std::uint64_t seed = 0) noexcept;

}  // namespace meridian
