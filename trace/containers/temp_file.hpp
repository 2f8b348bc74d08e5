// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trace/model/result.hpp"

namespace meridian {

/// Descriptor of a new unnamed file, which is deleted when it is closed; -1 with errno set. The caller closes it.
int open_nameless(const std::filesystem::path& directory);

/// An unnamed file that is deleted with its last owner, allocated in blocks of one size. Holds the results of a pass
/// for a later pass, so that memory does not grow with the trace. Not thread-safe.
class TempFile {
 public:
  static constexpr std::size_t kBlockBytes = 64 * 1024;

  /// directory  holds the data; the file is not visible in it (or only for an instant).
  /// errors     io: the directory is not writable.
  static Result<std::shared_ptr<TempFile>> create(const std::filesystem::path& directory);
  const std::filesystem::path& directory() const noexcept { return directory_; }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile();

  /// Number of an unused block.
  std::uint64_t take_block();
  void give_back(std::uint64_t block) { free_.push_back(block); }

  /// Writes within the block. errors: io (disk full, ...).
  Status write(std::uint64_t block, std::span<const std::byte> bytes, std::size_t offset = 0);
  Status read(std::uint64_t block, std::size_t offset, std::span<std::byte> bytes);

 private:
  TempFile(int fd, std::filesystem::path directory) : fd_{fd}, directory_{std::move(directory)} {}
  int fd_;
  std::filesystem::path directory_;  // for messages
  std::uint64_t blocks_ = 0;
  std::vector<std::uint64_t> free_;
};

}  // namespace meridian
