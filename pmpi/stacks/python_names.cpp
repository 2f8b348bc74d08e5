// SPDX-License-Identifier: Apache-2.0
// The names of a line of Python, read when the first call is made from it.

#include <stdio.h>
#include <string.h>

#include <atomic>

#include "pmpi/rings/emit.hpp"
#include "pmpi/stacks/python_lines.hpp"
#include "pmpi/stacks/python_sites.hpp"
#include "pmpi/stacks/stacks.hpp"
#include "pmpi/stacks/unwind_image.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostName = 1000;  // bytes; the rest is left out
constexpr char kSeparator = '\x1f';

std::atomic<std::uint64_t> g_next_site{kFirstScriptSite};

/// Text in a buffer of fixed size, cut off between two characters.
class Buffer {
 public:
  void add(char c) noexcept {
    if (length_ < sizeof text_) text_[length_++] = c;
  }
  void add_number(std::uint32_t number) noexcept {
    const int length = snprintf(text_ + length_, sizeof text_ - length_, "%u", number);
    if (length > 0) length_ += static_cast<std::size_t>(length);
  }
  void add_character(std::uint32_t c) noexcept {
    const auto part = [](std::uint32_t bits) { return static_cast<char>(bits); };
    if (c < 0x80) return add(part(c < ' ' ? ' ' : c));
    if (c < 0x800) {
      add(part(0xc0 | c >> 6));
    } else {
      if (c < 0x10000) {
        add(part(0xe0 | c >> 12));
      } else {
        add(part(0xf0 | c >> 18));
        add(part(0x80 | (c >> 12 & 0x3f)));
      }
      add(part(0x80 | (c >> 6 & 0x3f)));
    }
    add(part(0x80 | (c & 0x3f)));
  }
  const char* data() const noexcept { return text_; }
  std::size_t length() const noexcept { return length_; }

 private:
  char text_[2 * kMostName + 64];
  std::size_t length_ = 0;
};

/// False: it is not a text.
bool add_text(Buffer& buffer, std::uintptr_t text) noexcept {
  if (text == 0 || python_load<std::uintptr_t>(text + kPythonType) != g_python.text_type) return false;
  // struct state: interned:2, kind:3, compact:1, ascii:1
  const auto state = python_load<std::uint32_t>(text + kPythonTextState);
  const std::uint32_t width = state >> 2 & 7;
  const bool is_compact = (state >> 5 & 1) != 0, is_ascii = (state >> 6 & 1) != 0;
  if (!is_compact || (width != 1 && width != 2 && width != 4)) return false;
  constexpr std::uintptr_t kMoreOfOthers = 16;  // PyCompactUnicodeObject: length and address in UTF-8
  constexpr std::uintptr_t kMoreOf311 = 24;     // and the length in wchar_t
  const std::uintptr_t more = g_python.layout.version == 0x030b ? kMoreOf311 : kMoreOfOthers;
  const std::uintptr_t begin = text + g_python.layout.ascii_bytes + (is_ascii ? 0 : more);
  const auto length = python_load<std::uint64_t>(text + kPythonSize);
  const std::size_t end = buffer.length() + kMostName - 4;
  for (std::uint64_t i = 0; i < length && buffer.length() < end; ++i) {
    const std::uintptr_t at = begin + i * width;
    buffer.add_character(width == 1   ? python_load<std::uint8_t>(at)
                         : width == 2 ? python_load<std::uint16_t>(at)
                                      : python_load<std::uint32_t>(at));
  }
  return true;
}

std::uint32_t line_of(const PythonFrame& frame) noexcept {
  const PythonLayout& layout = g_python.layout;
  const auto first_line = python_load<std::int32_t>(frame.code + layout.firstlineno);
  const auto table = python_load<std::uintptr_t>(frame.code + layout.linetable);
  if (table == 0 || python_load<std::uintptr_t>(table + kPythonType) != g_python.bytes_type) return 0;
  const std::uintptr_t begin = frame.code + layout.instructions;
  const auto bytes = python_load<std::uint64_t>(frame.code + kPythonSize) * kPythonInstruction;
  const std::uintptr_t offset = frame.instruction - begin;  // outside: the frame has not begun
  return python_line(reinterpret_cast<const unsigned char*>(table + kPythonBytes),
                     python_load<std::uint64_t>(table + kPythonSize), first_line,
                     offset < bytes ? offset / kPythonInstruction : 0);
}

std::uint64_t hash_of(const Buffer& text) noexcept {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < text.length(); ++i)
    hash = (hash ^ static_cast<unsigned char>(text.data()[i])) * 0x100000001b3ULL;
  return hash;
}

/// The site with these names: that of the same line in another code object, or a new one.
std::uint64_t site_named(PythonSites& sites, const Buffer& text) noexcept {
  const std::uint64_t hash = hash_of(text);
  const std::uint32_t first = stack_slot(hash, PythonSites::kSlots);
  PythonSites::Name* free = &sites.names[first];
  for (std::uint32_t i = 0; i < PythonSites::kProbes; ++i) {
    PythonSites::Name& name = sites.names[(first + i) & (PythonSites::kSlots - 1)];
    if (name.site != 0 && name.hash == hash) return name.site;
    if (name.site == 0) {
      free = &name;
      break;
    }
  }
  if (g_next_site.load(std::memory_order_relaxed) >= kEndOfScriptSites) return 0;
  const std::uint64_t site = g_next_site.fetch_add(1, std::memory_order_relaxed);
  if (!is_script_site(site) || !emit_text(kScriptKey, text.data(), text.length(), site)) return 0;
  *free = {hash, site};
  return site;
}

bool begins_with(const char* text, const char* with) noexcept { return strncmp(text, with, strlen(with)) == 0; }

CallerKind kind_of_file(std::uintptr_t address) noexcept {
  const std::uintptr_t file = find_loaded_file(address);
  if (file == 0) return CallerKind::plain;
  if (file == find_loaded_file(reinterpret_cast<std::uintptr_t>(g_python.thread_state))) return CallerKind::interpreter;
  const char* const path = find_loaded_name(address);
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  const bool is_binding = strstr(name, ".cpython-") != nullptr || strstr(name, ".abi3.") != nullptr ||
                          begins_with(name, "libffi.so") || begins_with(name, "_cffi_backend");
  return is_binding ? CallerKind::binding : CallerKind::plain;
}

}  // namespace

std::uint64_t add_python_site(PythonSites& sites, const PythonFrame& frame) noexcept {
  Buffer text;
  text.add_number(line_of(frame));
  text.add(kSeparator);
  if (!add_text(text, python_load<std::uintptr_t>(frame.code + g_python.layout.qualname))) return 0;
  text.add(kSeparator);
  const std::size_t file = text.length();
  if (!add_text(text, python_load<std::uintptr_t>(frame.code + g_python.layout.filename))) return 0;
  constexpr std::size_t kFrozenLength = 8;
  const bool is_own =
      text.length() > file + kFrozenLength && memcmp(text.data() + file, "<frozen ", kFrozenLength) == 0;
  const std::uint64_t site = is_own ? kPassedOver : site_named(sites, text);
  if (site == 0) return 0;
  const std::uint32_t first = stack_slot(frame.instruction, PythonSites::kSlots);
  PythonSites::Slot* slot = &sites.slots[first];
  for (std::uint32_t i = 0; i < PythonSites::kProbes; ++i) {
    PythonSites::Slot& next = sites.slots[(first + i) & (PythonSites::kSlots - 1)];
    const bool is_same = next.instruction == frame.instruction && next.code == frame.code;
    if (next.site != 0 && !is_same) continue;
    slot = &next;
    break;
  }
  *slot = {frame.code, frame.instruction, identity_of_code(frame.code), site};
  return site;
}

CallerKind look_up_caller(PythonSites& sites, std::uintptr_t address) noexcept {
  const std::uint32_t unloads = g_unloads.load(std::memory_order_acquire);
  if (sites.unloads != unloads) {
    for (PythonSites::Caller& known : sites.callers) known = {};
    sites.unloads = unloads;
  }
  const CallerKind kind = kind_of_file(address - 1);
  sites.callers[stack_slot(address, PythonSites::kCallers)] = {address, kind};
  return kind;
}

}  // namespace meridian
