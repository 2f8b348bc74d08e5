// SPDX-License-Identifier: Apache-2.0
#include "cli/run/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "trace/model/handles.hpp"

namespace meridian {
namespace {

using Descriptor = Unique<&::close, -1>;

// Limits far above those of any real program, so that a damaged file costs neither time nor memory.
constexpr std::size_t kMostHeaders = 4096;
constexpr std::size_t kMostDynamic = 65536;
constexpr std::size_t kLongestString = 65536;

#if defined(__x86_64__)
constexpr ElfW(Half) kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr ElfW(Half) kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr ElfW(Half) kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr ElfW(Half) kMachine = EM_RISCV;
#else
constexpr ElfW(Half) kMachine = EM_NONE;  // an architecture that is unknown here: every machine is accepted
#endif
constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : file_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {}

  /// Fills `out` from `offset`; false if the file does not have that many bytes there.
  bool read(std::uint64_t offset, void* out, std::size_t bytes) const {
    if (!file_ || offset > static_cast<std::uint64_t>(INT64_MAX)) return false;
    return ::pread(file_.get(), out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

  std::string string_at(std::uint64_t offset) const {
    std::string result;
    std::array<char, 256> piece{};
    while (file_ && offset <= static_cast<std::uint64_t>(INT64_MAX) - piece.size() && result.size() < kLongestString) {
      const ssize_t got = ::pread(file_.get(), piece.data(), piece.size(), static_cast<off_t>(offset));
      if (got <= 0) return {};  // the file ends before the string
      const auto bytes = static_cast<std::size_t>(got);
      const std::size_t length = ::strnlen(piece.data(), bytes);
      result.append(piece.data(), length);
      if (length < bytes) return result;
      offset += bytes;
    }
    return {};
  }

 private:
  Descriptor file_;
};

/// Position in the file of the byte at this address of the running program; nullopt: none.
std::optional<std::uint64_t> file_offset(const std::vector<ElfW(Phdr)>& headers, std::uint64_t address) {
  for (const ElfW(Phdr) & header : headers)
    if (header.p_type == PT_LOAD && address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz)
      return header.p_offset + (address - header.p_vaddr);
  return std::nullopt;
}

void read_dynamic(const Reader& reader, const std::vector<ElfW(Phdr)>& headers, const ElfW(Phdr) & dynamic,
                  ElfFile& elf) {
  const std::size_t count = std::min<std::uint64_t>(dynamic.p_filesz / sizeof(ElfW(Dyn)), kMostDynamic);
  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> rpath;
  std::optional<std::uint64_t> runpath;
  std::optional<std::uint64_t> strings;
  for (std::size_t i = 0; i < count; ++i) {
    ElfW(Dyn) entry{};
    if (!reader.read(dynamic.p_offset + i * sizeof entry, &entry, sizeof entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_RPATH) rpath = entry.d_un.d_val;
    if (entry.d_tag == DT_RUNPATH) runpath = entry.d_un.d_val;
    if (entry.d_tag == DT_STRTAB) strings = file_offset(headers, entry.d_un.d_ptr);
  }
  if (!strings) return;
  for (const std::uint64_t at : needed)
    if (std::string name = reader.string_at(*strings + at); !name.empty()) elf.needed.push_back(std::move(name));
  elf.has_runpath = runpath.has_value();
  if (runpath || rpath) elf.search_path = reader.string_at(*strings + (runpath ? *runpath : *rpath));
}

}  // namespace

std::optional<ElfFile> read_elf(const std::filesystem::path& path) {
  const Reader reader{path};
  ElfW(Ehdr) header{};
  if (!reader.read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  ElfFile elf;
  elf.is_native = header.e_ident[EI_CLASS] == kClass && header.e_ident[EI_DATA] == kOrder &&
                  (header.e_machine == kMachine || kMachine == EM_NONE);
  if (!elf.is_native || header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phnum > kMostHeaders) return elf;
  std::vector<ElfW(Phdr)> headers(header.e_phnum);
  if (!reader.read(header.e_phoff, headers.data(), headers.size() * sizeof headers[0])) return elf;
  for (const ElfW(Phdr) & segment : headers) {
    if (segment.p_type == PT_INTERP) elf.has_interpreter = true;
    if (segment.p_type == PT_DYNAMIC) read_dynamic(reader, headers, segment, elf);
  }
  return elf;
}

}  // namespace meridian
