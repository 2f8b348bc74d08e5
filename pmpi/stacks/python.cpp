// SPDX-License-Identifier: Apache-2.0
// Whether the frames of the interpreter in this process can be read. All that is read here may be somewhere else in
// a version that is built in another way, so it is copied by the kernel, which reports addresses without memory.

#include "pmpi/stacks/python.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/stacks/python_frames.hpp"

namespace meridian {
namespace {

constexpr int kMostFrames = 64;  // that are checked

/// Copies memory that may not be there.
class Probe {
 public:
  Probe() noexcept {
    if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Probe() {
    if (ends_[0] < 0) return;
    close(ends_[0]);
    close(ends_[1]);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  bool copy(std::uintptr_t from, void* to, std::size_t bytes) const noexcept {
    const auto count = static_cast<ssize_t>(bytes);
    return from != 0 && write(ends_[1], reinterpret_cast<const void*>(from), bytes) == count &&
           read(ends_[0], to, bytes) == count;
  }
  template <class Value>
  bool load(std::uintptr_t from, Value& value) const noexcept {
    return copy(from, &value, sizeof value);
  }

 private:
  int ends_[2] = {-1, -1};
};

template <class Function>
Function symbol(const char* name) noexcept {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

/// The layout of a version; its own version is 0 if it is not known.
PythonLayout layout_of(std::uint32_t version, const Probe& probe) noexcept {
  for (const PythonLayout& layout : kPythonLayouts)
    if (layout.version == version) return layout;
  std::uint64_t words[kPythonDebugWords] = {};
  const auto runtime = symbol<std::uintptr_t>("_PyRuntime");
  if (version != kSelfDescribing || !probe.copy(runtime, words, sizeof words)) return {};
  return read_debug_offsets(words);
}

/// Whether `object` has this type; if so, `size` is its number of items.
bool is_a(const Probe& probe, std::uintptr_t object, std::uintptr_t type, std::uint64_t& size) noexcept {
  std::uintptr_t found = 0;
  return probe.load(object + kPythonType, found) && found == type && probe.load(object + kPythonSize, size);
}

bool is_good_code(const Probe& probe, std::uintptr_t code, std::uintptr_t instruction) noexcept {
  constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 30;
  const PythonLayout& layout = g_python.layout;
  std::uintptr_t filename = 0, qualname = 0, table = 0;
  std::uint64_t units = 0, unused = 0;
  std::int32_t line = 0;
  if (!is_a(probe, code, g_python.code_type, units) || units == 0 || units > kMostUnits) return false;
  const std::uintptr_t begin = code + layout.instructions;
  return probe.load(code + layout.filename, filename) && probe.load(code + layout.qualname, qualname) &&
         probe.load(code + layout.linetable, table) && probe.load(code + layout.firstlineno, line) && line >= 0 &&
         is_a(probe, filename, g_python.text_type, unused) && is_a(probe, qualname, g_python.text_type, unused) &&
         is_a(probe, table, g_python.bytes_type, unused) && instruction + kPythonInstruction >= begin &&
         instruction < begin + units * kPythonInstruction;
}

enum class Frames { none, good, bad };

/// Compares the frames of this thread with the layout.
Frames check_frames(const Probe& probe) noexcept {
  const PythonLayout& layout = g_python.layout;
  if (g_python.is_initialized() == 0) return Frames::none;
  const auto thread = reinterpret_cast<std::uintptr_t>(g_python.thread_state());
  std::uintptr_t frame = 0;
  if (thread == 0) return Frames::none;
  if (!probe.load(thread + layout.thread_frame, frame)) return Frames::bad;
  if (layout.record_frame != PythonLayout::kNoRecord && !probe.load(frame + layout.record_frame, frame))
    return Frames::bad;
  int found = 0;
  for (int i = 0; i < kMostFrames && frame != 0; ++i) {
    std::uintptr_t code = 0, instruction = 0;
    std::uint8_t owner = 0;
    if (!probe.load(frame + layout.frame_owner, owner) || owner > kPythonFrameOfC ||
        !probe.load(frame + layout.frame_code, code) || !probe.load(frame + layout.frame_instruction, instruction))
      return Frames::bad;
    if (owner != kPythonFrameOfC) {
      if (!is_good_code(probe, code, instruction)) return Frames::bad;
      ++found;
    }
    if (!probe.load(frame + layout.frame_previous, frame)) return Frames::bad;
  }
  return found > 0 ? Frames::good : Frames::none;
}

/// Tells the writer where the frames of this thread are, for samples.
void publish_python() noexcept {
  RingFileHeader& ring = *g_session.ring;
  if (ring.sample_hz == 0) return;
  ring.python.thread_state = reinterpret_cast<std::uintptr_t>(g_python.thread_state());
  ring.python.interpreter = reinterpret_cast<std::uintptr_t>(g_python.thread_state);
  ring.python.code_type = g_python.code_type;
  ring.python.text_type = g_python.text_type;
  ring.python.bytes_type = g_python.bytes_type;
  ring.python.kernel_tid = static_cast<std::int32_t>(syscall(SYS_gettid));
  ring.python.layout = g_python.layout;
  ring.has_python.store(1, std::memory_order_release);
}

bool g_is_unread = false;
std::uint32_t g_version = 0;  // as in Py_Version; 0: before 3.11

}  // namespace

void store_python() noexcept {
  if (!g_is_unread) return;
  const std::uint32_t version = g_version;
  char text[64];
  const int length = version != 0 ? snprintf(text, sizeof text, "CPython %u.%u.%u", version >> 24, version >> 16 & 255,
                                             version >> 8 & 255)
                                  : snprintf(text, sizeof text, "CPython before 3.11");
  emit_text(kScriptUnreadKey, text, static_cast<std::uint64_t>(length), 0);
}

// Where only parents may read a process's memory (Yama's ptrace_scope 1). Elsewhere the call is unknown. MPI libraries that name
// all processes do so later.
void permit_python() noexcept {
  if (g_session.ring->has_python.load(std::memory_order_relaxed) == 0) return;
  const int writer = g_session.writer_pid.load(std::memory_order_relaxed);
  if (writer > 0) prctl(PR_SET_PTRACER, static_cast<unsigned long>(writer), 0, 0, 0);
}

void find_python() noexcept {
  const bool has_sites = g_session.options.is_on(OptionId::sites) || g_session.options.number(OptionId::stack) != 0;
  if (!g_session.options.is_on(OptionId::python) || !has_sites) return;
  g_python.thread_state = symbol<void* (*)() noexcept>("PyGILState_GetThisThreadState");
  g_python.is_initialized = symbol<int (*)() noexcept>("Py_IsInitialized");
  g_python.code_type = symbol<std::uintptr_t>("PyCode_Type");
  g_python.text_type = symbol<std::uintptr_t>("PyUnicode_Type");
  g_python.bytes_type = symbol<std::uintptr_t>("PyBytes_Type");
  g_python.is_there = g_python.thread_state != nullptr && g_python.is_initialized != nullptr &&
                      g_python.code_type != 0 && g_python.text_type != 0 && g_python.bytes_type != 0;
}

void start_python() noexcept {
  if (g_python.is_on || g_is_unread) return;  // threads may read what is set here
  if (!g_python.is_there || g_python.is_initialized() == 0 || g_python.thread_state() == nullptr) return;
  const auto number = symbol<const unsigned long*>("Py_Version");  // from 3.11 on
  g_version = number != nullptr ? static_cast<std::uint32_t>(*number) : 0;
  const Probe probe;
  g_python.layout = layout_of(g_version >> 16, probe);
  const Frames frames = g_python.layout.version != 0 ? check_frames(probe) : Frames::bad;
  g_is_unread = frames == Frames::bad;
  if (frames == Frames::good) publish_python();
  __atomic_store_n(&g_python.is_on, frames == Frames::good, __ATOMIC_RELEASE);
}

}  // namespace meridian
