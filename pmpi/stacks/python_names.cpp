// SPDX-License-Identifier: Apache-2.0
// The names of a line of Python, read when the first call is made from it.

#include <string.h>

#include <atomic>

#include "pmpi/rings/emit.hpp"
#include "pmpi/stacks/python_sites.hpp"
#include "pmpi/stacks/stacks.hpp"
#include "pmpi/stacks/unwind_image.hpp"
#include "trace/unwind/python_lines.hpp"
#include "trace/unwind/python_text.hpp"

namespace meridian {
namespace {

std::atomic<std::uint64_t> g_next_site{kFirstScriptSite};

/// False: it is not a text.
bool add_text(PythonText& buffer, std::uintptr_t text) noexcept {
  if (text == 0) return false;
  const auto* const object = reinterpret_cast<const unsigned char*>(text);
  const PythonString string = python_string(object, g_python.layout, g_python.text_type);
  if (string.width == 0) return false;
  buffer.add_name(string, object + string.begin);
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

std::uint64_t hash_of(const PythonText& text) noexcept {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < text.length(); ++i)
    hash = (hash ^ static_cast<unsigned char>(text.data()[i])) * 0x100000001b3ULL;
  return hash;
}

/// The site with these names: that of the same line in another code object, or a new one.
std::uint64_t site_named(PythonSites& sites, const PythonText& text) noexcept {
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
  if (g_next_site.load(std::memory_order_relaxed) >= kFirstSampledSite) return 0;
  const std::uint64_t site = g_next_site.fetch_add(1, std::memory_order_relaxed);
  if (site >= kFirstSampledSite || !emit_text(kScriptKey, text.data(), text.length(), site)) return 0;
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
  PythonText text;
  text.add_line(line_of(frame));
  if (!add_text(text, python_load<std::uintptr_t>(frame.code + g_python.layout.qualname)) ||
      !add_text(text, python_load<std::uintptr_t>(frame.code + g_python.layout.filename)))
    return 0;
  const std::uint64_t site = text.is_frozen() ? kPassedOver : site_named(sites, text);
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
