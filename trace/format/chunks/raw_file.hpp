// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "trace/model/result.hpp"

namespace meridian {

/// A file whose bytes are read by position. It is opened when it is read, and no more than kMostOpen of all such files of
/// the process are open at a time, so that a trace may have more ranks than the process may have descriptors.
class RawFile {
 public:
  static constexpr std::size_t kMostOpen = 64;

  /// errors  not_found, io
  static Result<std::shared_ptr<RawFile>> find(const std::filesystem::path& path);
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile();

  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Reads exactly bytes.size() bytes. Any thread may call it. errors: damaged: the file ends before; io: it cannot be
  /// read, or is not the file any more that find() saw.
  Status read(std::uint64_t offset, std::span<std::uint8_t> bytes) const;

 private:
  explicit RawFile(std::filesystem::path path) : path_{std::move(path)} {}
  Error problem(const char* reason) const;

  std::filesystem::path path_;
  std::uint64_t device_ = 0, inode_ = 0, bytes_ = 0;
};

}  // namespace meridian
