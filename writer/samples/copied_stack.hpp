// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "writer/samples/loaded_files.hpp"

namespace meridian {

/// A thread at one moment: its registers, and a copy of the innermost part of its stack, which begins at `sp`.
struct CopiedStack {
  std::uint64_t ip = 0;
  std::uint64_t sp = 0;
  std::uint64_t bp = 0;  ///< x29 on AArch64
  std::span<const std::byte> bytes;
};

/// Most frames of a sample.
inline constexpr std::size_t kMostSampledFrames = 256;

/// The code that the thread was in, innermost first, as return addresses: each is behind an instruction of its frame, the first one
/// behind the first byte of the instruction at `ip`. Then kStackDeeper if the copy ends before the stack does, or kStackLost
/// if the caller is unknown.
void unwind(const CopiedStack& stack, LoadedFiles& files, std::vector<std::uint64_t>& addresses);

}  // namespace meridian
