// SPDX-License-Identifier: Apache-2.0
// Instrumented functions when they are called for the first time, and when they turn out to be too short. Cold.

#include "pmpi/user/functions.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmpi/process/clock.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/drops.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/user/definitions.hpp"
#include "pmpi/user/turn.hpp"
#include "trace/model/function_keys.hpp"

namespace meridian {

InstrumentedFunction g_functions[kMostFunctions];
std::atomic<std::uint32_t> g_timed_calls{0};
std::atomic<std::uint64_t> g_short_ticks{0};

namespace {

constexpr std::size_t kMostUsed = kMostFunctions / 4 * 3;  ///< so that a search ends soon
constexpr std::size_t kSymbolBytes = 1024;

std::atomic<std::uint32_t> g_used_functions{0};
std::atomic<bool> g_is_full{false}, g_is_deep{false};
constinit std::atomic<long> g_adding{0};
constinit ClockAnchor g_first{};  ///< when the first function was added

/// A file of the program, mapped for a moment.
class MappedFile {
 public:
  explicit MappedFile(const char* path) noexcept {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat facts {};
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
      bytes_ = static_cast<std::size_t>(facts.st_size);
      data_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
  }
  ~MappedFile() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  /// Null if the file does not have them all.
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const noexcept {
    const bool has_them =
        data_ != MAP_FAILED && offset <= bytes_ && count <= (bytes_ - offset) / sizeof(T) && offset % alignof(T) == 0;
    return has_them ? reinterpret_cast<const T*>(static_cast<const char*>(data_) + offset) : nullptr;
  }

 private:
  void* data_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

/// The function at this offset by the file's table of all symbols, which has also those that it does not export.
bool name_in_file(const char* path, std::uintptr_t offset, char* name, std::size_t room) noexcept {
  const MappedFile file{path};
  const auto* const head = file.at<ElfW(Ehdr)>(0);
  if (head == nullptr || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return false;
  const auto* const sections = file.at<ElfW(Shdr)>(head->e_shoff, head->e_shnum);
  if (sections == nullptr) return false;
  for (std::size_t i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= head->e_shnum) continue;
    const ElfW(Shdr)& strings = sections[sections[i].sh_link];
    const std::uint64_t count = sections[i].sh_size / sizeof(ElfW(Sym));
    const auto* const symbols = file.at<ElfW(Sym)>(sections[i].sh_offset, count);
    const char* const text = file.at<char>(strings.sh_offset, strings.sh_size);
    if (symbols == nullptr || text == nullptr) return false;
    for (std::uint64_t s = 0; s < count; ++s) {
      if (symbols[s].st_value != offset || (symbols[s].st_info & 0xf) != STT_FUNC ||
          symbols[s].st_name >= strings.sh_size)
        continue;
      const std::size_t length = strnlen(text + symbols[s].st_name, strings.sh_size - symbols[s].st_name);
      if (length == 0 || length >= room) continue;
      memcpy(name, text + symbols[s].st_name, length);
      name[length] = '\0';
      return true;
    }
  }
  return false;
}

/// The function's symbol, or "program+0x1234".
void name_of(const void* code, char* name, std::size_t room) noexcept {
  Dl_info where{};
  ElfW(Sym)* symbol = nullptr;
  snprintf(name, room, "%p", code);
  if (dladdr1(code, &where, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 || where.dli_fname == nullptr)
    return;
  if (where.dli_sname != nullptr && where.dli_saddr == code) {
    snprintf(name, room, "%s", where.dli_sname);
    return;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(where.dli_fbase);
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(code) - base;
  // A program at a fixed address has addresses, not offsets.
  const auto* const head = static_cast<const ElfW(Ehdr)*>(where.dli_fbase);
  const std::uintptr_t in_file = head->e_type == ET_EXEC ? offset + base : offset;
  const bool is_program = strchr(where.dli_fname, '/') == nullptr;
  if (name_in_file(is_program ? "/proc/self/exe" : where.dli_fname, in_file, name, room)) return;
  const char* const slash = strrchr(where.dli_fname, '/');
  snprintf(name, room, "%s+%#zx", slash == nullptr ? where.dli_fname : slash + 1, static_cast<std::size_t>(in_file));
}

void report_once(std::atomic<bool>& is_reported, const char* what) noexcept {
  if (!is_reported.exchange(true)) emit_text(kFunctionsLeftOutKey, what, strlen(what), 0);
}

}  // namespace

InstrumentedFunction* add_function(const void* code) noexcept {
  if (g_is_full.load(std::memory_order_relaxed)) return nullptr;
  // A rank that is never traced keeps the function as well, so that its next call ends at once.
  const bool is_ready = is_ready_for_events();
  if (!is_ready && g_session.state.load(std::memory_order_acquire) != SessionState::off) return nullptr;
  const Turn turn{g_adding};
  if (!turn.has_it()) {
    count_loss(Loss::user_nested);
    return nullptr;
  }
  if (is_ready && g_used_functions.load(std::memory_order_relaxed) == 0) {
    g_first = read_anchor();
    g_timed_calls.store(static_cast<std::uint32_t>(g_session.options.number(OptionId::throttle)));
  }
  InstrumentedFunction* made = nullptr;
  if (g_used_functions.load(std::memory_order_relaxed) < kMostUsed) {
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    std::size_t place = (address >> 4 ^ address >> 19) % kMostFunctions;
    const void* there = nullptr;
    while ((there = g_functions[place].code.load(std::memory_order_relaxed)) != nullptr && there != code)
      place = (place + 1) % kMostFunctions;
    made = &g_functions[place];
    if (there == nullptr) {
      if (is_ready) {
        char name[kSymbolBytes];
        name_of(code, name, sizeof name);
        made->gate.store(define_for_program(MERIDIAN_KIND_REGION, "function", name), std::memory_order_relaxed);
      }
      made->code.store(code, std::memory_order_release);
      g_used_functions.fetch_add(1, std::memory_order_relaxed);
    }
  } else {
    if (is_ready) report_once(g_is_full, "more than 24576 functions");
  }
  return made;
}

void find_short_ticks() noexcept {
  constexpr std::int64_t kLongEnoughNs = 1'000'000;
  const ClockAnchor now = read_anchor();
  const std::int64_t passed_ns = now.monotonic_ns - g_first.monotonic_ns;
  if (passed_ns < kLongEnoughNs) return;
  const double rate = static_cast<double>(now.before_ticks - g_first.before_ticks) / static_cast<double>(passed_ns);
  const auto ticks = static_cast<std::uint64_t>(rate * static_cast<double>(kShortNs));
  g_short_ticks.store(ticks != 0 ? ticks : 1, std::memory_order_relaxed);
}

void judge_function(InstrumentedFunction& function) noexcept {
  // Not the mean: one call that loses its processor takes longer than ten thousand others.
  const std::uint64_t calls = function.calls.load(std::memory_order_relaxed);
  if (std::uint64_t{function.short_calls.load(std::memory_order_relaxed)} * 10 < calls * 9) return;
  const meridian_gate* const gate = function.gate.exchange(nullptr, std::memory_order_relaxed);
  if (gate == nullptr) return;
  const auto& definition = *reinterpret_cast<const UserEventDefinition*>(gate);
  emit_text(kFunctionThrottledKey, definition.name.data(), definition.name.size(), 0);
}

void note_deep_function() noexcept { report_once(g_is_deep, "functions inside of 256 others"); }

}  // namespace meridian
