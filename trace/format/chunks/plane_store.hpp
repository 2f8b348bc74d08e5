// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/model/result.hpp"

namespace meridian {

/// Keeps the bytes of decoded chunks outside of memory, in blocks of kBlockBytes.
class PlaneStore {
 public:
  static constexpr std::size_t kBlockBytes = 65536;  ///< a byte for each element of a full chunk

  virtual ~PlaneStore() = default;
  /// Number of an unused block.
  virtual std::uint64_t take() = 0;
  virtual void give_back(std::uint64_t block) = 0;
  /// At most kBlockBytes, at the start of the block. errors: io
  virtual Status write(std::uint64_t block, std::span<const std::uint8_t> bytes) = 0;
  /// What was written there. errors: io
  virtual Status read(std::uint64_t block, std::size_t offset, std::span<std::uint8_t> bytes) = 0;
};

}  // namespace meridian
