// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of Python as call sites. Each line has a number in place of a return address (kFirstScriptSite), and its names are
// stored once for each thread. Reading a frame again takes a look into a table.

#include <cstdint>

#include "pmpi/stacks/python_frames.hpp"

namespace meridian {

struct ThreadState;

/// The file that makes a call.
enum class CallerKind : std::uint8_t {
  unknown,
  plain,        ///< any other: its own function is the place of the call
  binding,      ///< makes calls for Python: an extension module, or the library for foreign functions
  interpreter,  ///< the program or library with CPython
};

/// In place of a site: the frame is one of the interpreter's own code, such as the import system, and its caller stands for it.
inline constexpr std::uint64_t kPassedOver = 1;

struct PythonSites {
  static constexpr std::uint32_t kSlots = 1 << 12;
  static constexpr std::uint32_t kCallers = 1 << 8;
  static constexpr std::uint32_t kProbes = 8;
  /// A point in a code object.
  struct Slot {
    std::uintptr_t code;
    std::uintptr_t instruction;
    std::uint64_t identity;  ///< of the code object: another one may get its memory
    std::uint64_t site;      ///< 0: a free slot
  };
  struct Name {
    std::uint64_t hash;  ///< of function, file and line
    std::uint64_t site;
  };
  struct Caller {
    std::uintptr_t address;
    CallerKind kind;
  };
  std::uint32_t unloads;  ///< g_unloads when the callers were looked up
  Slot slots[kSlots];
  Name names[kSlots];
  Caller callers[kCallers];
};

/// The data of a code object that another one at its address does not share: its first line, and the addresses of its
/// names and lines, each of which has to be freed and allocated in the same place.
[[gnu::always_inline]] inline std::uint64_t identity_of_code(std::uintptr_t code) noexcept {
  const PythonLayout& layout = g_python.layout;
  const auto line = python_load<std::uint32_t>(code + layout.firstlineno);
  return python_load<std::uint64_t>(code + layout.qualname) * 3 + python_load<std::uint64_t>(code + layout.linetable) +
         (std::uint64_t{line} << 32);
}

/// The site of a frame, or kPassedOver; 0: not known yet.
std::uint64_t find_python_site(const PythonSites& sites, const PythonFrame& frame) noexcept;

/// Stores the site of a frame; the thread's ring must be open. Also kPassedOver. 0: there are no numbers left, or the names
/// cannot be read.
[[gnu::cold, gnu::noinline]] std::uint64_t add_python_site(PythonSites& sites, const PythonFrame& frame) noexcept;

[[gnu::cold, gnu::noinline]] CallerKind look_up_caller(PythonSites& sites, std::uintptr_t address) noexcept;

/// The kind of the file that contains this return address.
CallerKind kind_of_caller(PythonSites& sites, std::uintptr_t address) noexcept;

}  // namespace meridian
