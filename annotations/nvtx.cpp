// SPDX-License-Identifier: Apache-2.0
// NVTX, version 3: its header loads the library that NVTX_INJECTION64_PATH names, and calls InitializeInjectionNvtx2(). That
// replaces entries in the header's tables of functions. Ranges that are pushed and popped become regions, marks become markers. Ranges
// that one thread may start and another one end are not recorded: a region belongs to a thread. Numbers and layouts: nvToolsExt.h and
// nvtxTypes.h of NVTX 3.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "annotations/regions.hpp"

namespace {

using namespace meridian::annotations;

constexpr const char* kNvtxLevel = "nvtx";
constexpr std::size_t kMostText = 512;
/// What NVTX itself returns for a depth when no tool is there: the program sees no difference.
constexpr int kNoDepth = -2;

enum Module : std::int32_t { kCore = 1, kCore2 = 5 };
enum Core : unsigned {
  kMarkEx = 1,
  kMarkA = 2,
  kMarkW = 3,
  kRangePushEx = 8,
  kRangePushA = 9,
  kRangePushW = 10,
  kRangePop = 11
};
enum Core2 : unsigned {
  kDomainMarkEx = 1,
  kDomainRangePushEx = 4,
  kDomainRangePop = 5,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW = 11,
  kDomainCreateA = 12,
  kDomainCreateW = 13
};
enum MessageType : std::int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };

/// nvtxEventAttributes_t
struct EventAttributes {
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type, reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;
};
static_assert(sizeof(EventAttributes) == 48);

using Function = void (*)();
using FunctionTable = Function**;
struct Callbacks {
  std::size_t bytes;
  int (*table_of)(std::int32_t module, FunctionTable* table, unsigned* size);
};
using GetExportTable = const void* (*)(std::uint32_t);
constexpr std::uint32_t kCallbacks = 1;

/// The text in UTF-8, cut to the room of `to`.
const char* narrow(const wchar_t* text, char (&to)[kMostText]) noexcept {
  std::size_t at = 0;
  for (; text != nullptr && *text != 0 && at + 4 < kMostText; ++text) {
    const auto code = static_cast<std::uint32_t>(*text);
    const int extra = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr unsigned char kFirst[] = {0, 0xc0, 0xe0, 0xf0};
    to[at++] = static_cast<char>(kFirst[extra] | (code >> (6 * extra)));
    for (int left = extra - 1; left >= 0; --left) to[at++] = static_cast<char>(0x80 | ((code >> (6 * left)) & 0x3f));
  }
  to[at] = 0;
  return to;
}

/// Domains and registered strings: copies of their names, which live as long as the process.
const char* copy(const char* text) noexcept { return text == nullptr ? nullptr : strdup(text); }

const char* message_of(const EventAttributes* attributes, char (&room)[kMostText]) noexcept {
  if (attributes == nullptr || attributes->message == nullptr) return "";
  switch (attributes->message_type) {
    case kAscii:
    case kRegistered:
      return static_cast<const char*>(attributes->message);
    case kUnicode:
      return narrow(static_cast<const wchar_t*>(attributes->message), room);
    default:
      return "";
  }
}

/// "domain: message", or the message alone of the default domain.
const char* name_of(const char* domain, const EventAttributes* attributes, char (&room)[kMostText]) noexcept {
  char text[kMostText];
  const char* const message = message_of(attributes, text);
  if (domain == nullptr && message != text) return message;
  std::size_t at = 0;
  const auto append = [&](const char* part) {
    const std::size_t length = strnlen(part, kMostText - 1 - at);
    memcpy(room + at, part, length);
    at += length;
  };
  if (domain != nullptr) append(domain), append(": ");
  append(message);
  room[at] = 0;
  return room;
}

int push_domain(const char* domain, const EventAttributes* attributes) {
  char room[kMostText];
  push(kNvtxLevel, name_of(domain, attributes, room));
  return kNoDepth;
}
int pop_range() {
  pop();
  return kNoDepth;
}
int pop_domain(const char*) { return pop_range(); }

void mark_domain(const char* domain, const EventAttributes* attributes) {
  char room[kMostText];
  mark(kNvtxLevel, name_of(domain, attributes, room));
}
int push_attributes(const EventAttributes* attributes) { return push_domain(nullptr, attributes); }
int push_text(const char* text) {
  push(kNvtxLevel, text);
  return kNoDepth;
}
int push_wide(const wchar_t* text) {
  char room[kMostText];
  push(kNvtxLevel, narrow(text, room));
  return kNoDepth;
}
void mark_attributes(const EventAttributes* attributes) { mark_domain(nullptr, attributes); }
void mark_text(const char* text) { mark(kNvtxLevel, text); }
void mark_wide(const wchar_t* text) {
  char room[kMostText];
  mark(kNvtxLevel, narrow(text, room));
}
const char* register_text(const char*, const char* text) { return copy(text); }
const char* register_wide(const char*, const wchar_t* text) {
  char room[kMostText];
  return copy(narrow(text, room));
}
const char* create_domain(const char* name) { return copy(name); }
const char* create_wide_domain(const wchar_t* name) {
  char room[kMostText];
  return copy(narrow(name, room));
}

struct Entry {
  unsigned number;
  Function function;
};
template <class Pointer>
Entry entry(unsigned number, Pointer function) noexcept {
  return {number, reinterpret_cast<Function>(function)};
}

/// Replaces the entries of one table; an older header has a shorter one.
template <std::size_t kEntries>
void replace(const Callbacks& callbacks, Module module, const Entry (&entries)[kEntries]) noexcept {
  FunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.table_of(module, &table, &size) == 0 || table == nullptr) return;
  for (const Entry& one : entries)
    if (one.number < size && table[one.number] != nullptr) *table[one.number] = one.function;
}

}  // namespace

/// Returns 1: NVTX uses this library.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(GetExportTable export_table) {
  const auto* const callbacks = static_cast<const Callbacks*>(export_table(kCallbacks));
  if (callbacks == nullptr || callbacks->bytes < sizeof(Callbacks)) return 0;
  const Entry core[] = {entry(kMarkEx, mark_attributes), entry(kMarkA, mark_text),
                        entry(kMarkW, mark_wide),        entry(kRangePushEx, push_attributes),
                        entry(kRangePushA, push_text),   entry(kRangePushW, push_wide),
                        entry(kRangePop, pop_range)};
  const Entry core2[] = {entry(kDomainMarkEx, mark_domain),
                         entry(kDomainRangePushEx, push_domain),
                         entry(kDomainRangePop, pop_domain),
                         entry(kDomainRegisterStringA, register_text),
                         entry(kDomainRegisterStringW, register_wide),
                         entry(kDomainCreateA, create_domain),
                         entry(kDomainCreateW, create_wide_domain)};
  replace(*callbacks, kCore, core);
  replace(*callbacks, kCore2, core2);
  return 1;
}
