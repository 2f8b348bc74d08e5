// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frames of CPython in this process. Cold code checks when MPI starts that they can be read.

#include <cstdint>
#include <cstring>

#include "trace/unwind/python_layout.hpp"

namespace meridian {

/// What Python frames are read by. Written once, before is_on.
struct Python {
  PythonLayout layout;
  void* (*thread_state)() noexcept = nullptr;  ///< PyGILState_GetThisThreadState: takes no lock, null for other threads
  int (*is_initialized)() noexcept = nullptr;  ///< Py_IsInitialized: 0 while the interpreter frees its threads
  std::uintptr_t code_type = 0, text_type = 0, bytes_type = 0;  ///< addresses of the type objects
  bool is_there = false;                                        ///< the process has an interpreter
  bool is_on = false;                                           ///< its frames are read
};
extern constinit Python g_python;

template <class Value>
[[gnu::always_inline]] inline Value python_load(std::uintptr_t address) noexcept {
  Value value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

/// A frame that runs code of the program.
struct PythonFrame {
  std::uintptr_t at = 0;  ///< 0: none
  std::uintptr_t code = 0;
  std::uintptr_t instruction = 0;
};

/// The first such frame from `frame` on outwards. Reads only what the interpreter keeps as long as the thread is in the call that
/// the frame makes.
[[gnu::always_inline]] inline PythonFrame python_frame(std::uintptr_t frame) noexcept {
  const PythonLayout& layout = g_python.layout;
  for (; frame != 0; frame = python_load<std::uintptr_t>(frame + layout.frame_previous)) {
    if (python_load<std::uint8_t>(frame + layout.frame_owner) == kPythonFrameOfC) continue;
    const auto code = python_load<std::uintptr_t>(frame + layout.frame_code);
    if (code == 0 || python_load<std::uintptr_t>(code + kPythonType) != g_python.code_type) continue;
    return {frame, code, python_load<std::uintptr_t>(frame + layout.frame_instruction)};
  }
  return {};
}

[[gnu::always_inline]] inline PythonFrame python_caller(const PythonFrame& frame) noexcept {
  return python_frame(python_load<std::uintptr_t>(frame.at + g_python.layout.frame_previous));
}

/// The innermost frame of this thread, whether it holds the interpreter's lock or not: only the thread itself changes its frames, and it is in a
/// call.
[[gnu::always_inline]] inline PythonFrame innermost_python_frame() noexcept {
  if (g_python.is_initialized() == 0) return {};
  const auto thread = reinterpret_cast<std::uintptr_t>(g_python.thread_state());
  if (thread == 0) return {};
  auto frame = python_load<std::uintptr_t>(thread + g_python.layout.thread_frame);
  if (g_python.layout.record_frame != PythonLayout::kNoRecord && frame != 0)
    frame = python_load<std::uintptr_t>(frame + g_python.layout.record_frame);
  return python_frame(frame);
}

}  // namespace meridian
