// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where CPython keeps the frames of a thread, by version.

#include <cstdint>

namespace meridian {

/// Offsets in bytes.
struct PythonLayout {
  std::uint32_t version = 0;       ///< as in Py_Version without the low 16 bits: 0x030b is 3.11
  std::uint16_t thread_frame = 0;  ///< in PyThreadState: the innermost frame, or a record that points to it
  std::uint16_t record_frame = 0;  ///< in this record; kNoRecord: there is none
  std::uint16_t frame_code = 0, frame_previous = 0, frame_instruction = 0, frame_owner = 0;
  std::uint16_t filename = 0, qualname = 0, linetable = 0, firstlineno = 0, instructions = 0;  ///< in PyCodeObject
  std::uint16_t ascii_bytes = 0;  ///< size of PyASCIIObject

  static constexpr std::uint16_t kNoRecord = UINT16_MAX;
};

/// One row for each version that does not describe itself.
inline constexpr PythonLayout kPythonLayouts[] = {
    {0x030b, 56, 8, 32, 48, 56, 69, 112, 128, 136, 72, 184, 48},
    {0x030c, 56, 0, 0, 8, 56, 70, 112, 128, 136, 68, 192, 40},
};

// The same in all of these versions.
inline constexpr std::uintptr_t kPythonType = 8;          // in PyObject
inline constexpr std::uintptr_t kPythonSize = 16;         // in PyVarObject; the length of a str
inline constexpr std::uintptr_t kPythonBytes = 32;        // in PyBytesObject
inline constexpr std::uintptr_t kPythonTextState = 32;    // in PyASCIIObject
inline constexpr std::uintptr_t kPythonInstruction = 2;   // bytes of a code unit
inline constexpr std::uint8_t kPythonFrameOfC = 3;        // an owner: the frame runs no code of the program
inline constexpr std::uint32_t kSelfDescribing = 0x030d;  // _Py_DebugOffsets; later versions have another one
inline constexpr std::uint32_t kPythonDebugWords = 71;    // the part of it that is read

/// The layout in the words at the beginning of _PyRuntime. Its version is 0 if they are not those of this version.
constexpr PythonLayout read_debug_offsets(const std::uint64_t* words) noexcept {
  constexpr std::uint64_t kCookie = 0x7970677562656478;  // "xdebugpy"
  constexpr std::uint64_t kFreeThreaded = 2, kCurrentFrame = 23, kPrevious = 29, kExecutable = 30, kInstruction = 31,
                          kOwner = 33, kFilename = 35, kQualname = 37, kLinetable = 38, kFirstLine = 39, kCode = 43,
                          kType = 45, kBytesSize = 65, kBytesBegin = 66, kTextState = 68, kTextLength = 69,
                          kAsciiSize = 70;
  for (std::uint32_t i = kFreeThreaded + 1; i < kPythonDebugWords; ++i)
    if (words[i] >= std::uint64_t{1} << 32) return {};
  const bool is_known = words[0] == kCookie && words[1] >> 16 == kSelfDescribing && words[kFreeThreaded] == 0 &&
                        words[kType] == kPythonType && words[kBytesSize] == kPythonSize &&
                        words[kBytesBegin] == kPythonBytes && words[kTextState] == kPythonTextState &&
                        words[kTextLength] == kPythonSize;
  if (!is_known) return {};
  const auto offset = [words](std::uint64_t index) { return static_cast<std::uint16_t>(words[index]); };
  return {kSelfDescribing,      offset(kCurrentFrame), PythonLayout::kNoRecord, offset(kExecutable), offset(kPrevious),
          offset(kInstruction), offset(kOwner),        offset(kFilename),       offset(kQualname),   offset(kLinetable),
          offset(kFirstLine),   offset(kCode),         offset(kAsciiSize)};
}

/// What another process needs in order to read the frames of a thread. All addresses are in the process of the interpreter.
struct PythonPlace {
  std::uint64_t thread_state = 0;  ///< PyThreadState of the thread
  std::uint64_t interpreter = 0;   ///< a function of it
  std::uint64_t code_type = 0, text_type = 0, bytes_type = 0;
  std::int32_t kernel_tid = 0;  ///< the thread: that which started MPI
  PythonLayout layout;
};

}  // namespace meridian
