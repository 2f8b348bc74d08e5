// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How to get from one function's frame to that of its caller. Depends on the language alone.

#include <cstdint>

namespace meridian {

/// At one return address. CFA: the stack pointer as it was before the call that made this frame; the return address
/// lies 8 bytes below it.
struct UnwindRule {
  enum Kind : std::uint8_t {
    unknown = 0,    ///< nothing says it: the walk ends here
    outermost = 1,  ///< nobody called: the start of a thread
    from_rsp = 2,   ///< CFA = rsp + cfa_offset
    from_rbp = 3,   ///< CFA = rbp + cfa_offset
    at_rbp = 4,     ///< CFA = the word at rbp + cfa_offset (functions that align their stack)
  };
  enum Saved : std::uint8_t {
    kept = 0,        ///< rbp is the caller's
    below_cfa = 1,   ///< the caller's rbp lies at CFA + rbp_offset
    beside_rbp = 2,  ///< the caller's rbp lies at rbp + rbp_offset
  };
  Kind kind = unknown;
  Saved saved = kept;
  std::int16_t rbp_offset = 0;
  std::int32_t cfa_offset = 0;
  bool operator==(const UnwindRule&) const = default;
};
static_assert(sizeof(UnwindRule) == 8);

/// The part of a loaded file that holds its unwind information: nothing else of it is read.
struct UnwindImage {
  const unsigned char* begin = nullptr;
  const unsigned char* end = nullptr;
  const unsigned char* table = nullptr;  ///< .eh_frame_hdr, in between; null: there is none
};

/// Of the file that is loaded at `address`. Takes no lock where glibc is 2.35 or newer and the file is as linkers make
/// them.
UnwindImage find_unwind_image(std::uintptr_t address) noexcept;

/// Where the file that is loaded at `address` begins; 0: there is none.
std::uintptr_t find_loaded_file(std::uintptr_t address) noexcept;

/// The rule for what stands just before `return_address`, of code in the image's file. Believes nothing of the image.
UnwindRule read_unwind_rule(const UnwindImage& image, std::uintptr_t return_address) noexcept;

/// Both together.
[[gnu::cold, gnu::noinline]] UnwindRule find_unwind_rule(std::uintptr_t return_address) noexcept;

}  // namespace meridian
