// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "trace/containers/temp_file.hpp"
#include "trace/format/chunks/plane_store.hpp"

namespace meridian {

/// Decoded chunks in an unnamed file.
class TempPlanes : public PlaneStore {
 public:
  explicit TempPlanes(std::shared_ptr<TempFile> file) : file_{std::move(file)} {}
  std::uint64_t take() override { return file_->take_block(); }
  void give_back(std::uint64_t block) override { file_->give_back(block); }
  Status write(std::uint64_t block, std::span<const std::uint8_t> bytes) override {
    return file_->write(block, std::as_bytes(bytes));
  }
  Status read(std::uint64_t block, std::size_t offset, std::span<std::uint8_t> bytes) override {
    return file_->read(block, offset, std::as_writable_bytes(bytes));
  }

 private:
  static_assert(TempFile::kBlockBytes == kBlockBytes);
  std::shared_ptr<TempFile> file_;
};

}  // namespace meridian
