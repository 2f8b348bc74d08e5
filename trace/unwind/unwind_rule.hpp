// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rules that lead from one function's frame to that of its caller, for the traced program and for the writer. Includes only standard
// headers; the traced program calls it in its calls.

#include <cstdint>

namespace meridian {

/// The rule at one return address. CFA: the stack pointer before the call that made this frame; on x86-64 the return address is 8
/// bytes below it. AArch64 has frame records instead (AAPCS64, 6.4.6): every function that calls another stores the caller's frame
/// pointer and its own return address side by side, where its frame pointer points; code that was compiled without them is passed over.
struct UnwindRule {
  enum Kind : std::uint8_t {
    unknown = 0,    ///< no information: the walk ends here
    outermost = 1,  ///< no caller: the start of a thread
    from_rsp = 2,   ///< CFA = rsp + cfa_offset
    from_rbp = 3,   ///< CFA = rbp + cfa_offset
    at_rbp = 4,     ///< CFA = the word at rbp + cfa_offset (functions that align their stack)
    frame_record = 5,
  };
  enum Saved : std::uint8_t {
    kept = 0,        ///< rbp has the caller's value
    below_cfa = 1,   ///< the caller's rbp is stored at CFA + rbp_offset
    beside_rbp = 2,  ///< the caller's rbp is stored at rbp + rbp_offset
  };
  Kind kind = unknown;
  Saved saved = kept;
  std::int16_t rbp_offset = 0;
  std::int32_t cfa_offset = 0;
  bool operator==(const UnwindRule&) const = default;
};
static_assert(sizeof(UnwindRule) == 8);

/// The part of a file that contains its unwind information, where it is loaded or as a copy; nothing else of the file is read.
struct UnwindImage {
  const unsigned char* begin = nullptr;
  const unsigned char* end = nullptr;
  const unsigned char* table = nullptr;  ///< .eh_frame_hdr, inside the part; null: none
};

/// The rule for the instruction before `return_address`, in code of the image's file. Of a copy, addresses are those that the code would
/// have beside it. Does not trust the image.
UnwindRule read_unwind_rule(const UnwindImage& image, std::uintptr_t return_address) noexcept;

}  // namespace meridian
