// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/loaded_files.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace meridian {
namespace {

constexpr std::size_t kMostRules = std::size_t{1} << 18;
constexpr std::uint64_t kMostImageBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMostHeaders = 256;
constexpr std::size_t kMostNotes = 65536, kMostBuildId = 40;  // bytes
constexpr const char* kKernelCode = "[vdso]";

bool read_at(int file, std::uint64_t offset, void* out, std::size_t bytes) {
  auto* to = static_cast<char*>(out);
  while (bytes != 0) {
    const ssize_t got = ::pread(file, to, bytes, static_cast<off_t>(offset));
    if (got <= 0) return false;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

/// The program headers of an ELF file; empty: it is not one of this machine's kind.
std::vector<ElfW(Phdr)> read_headers(int file) {
  ElfW(Ehdr) header;
  if (!read_at(file, 0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phnum > kMostHeaders)
    return {};
  std::vector<ElfW(Phdr)> headers(header.e_phnum);
  if (!read_at(file, header.e_phoff, headers.data(), headers.size() * sizeof(ElfW(Phdr)))) return {};
  return headers;
}

/// The address at which the file is loaded minus that in its headers.
std::optional<std::uint64_t> bias_of(const std::vector<ElfW(Phdr)>& headers, std::uint64_t begin,
                                     std::uint64_t offset) {
  for (const ElfW(Phdr) & segment : headers)
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && offset < segment.p_offset + segment.p_filesz &&
        offset + 65536 > segment.p_offset)  // mappings begin with a page, which has at most 64 KiB
      return begin - (segment.p_vaddr - segment.p_offset + offset);
  return std::nullopt;
}

std::string hex_of(const unsigned char* bytes, std::size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  return text;
}

/// The build id among the notes; empty: the notes have no build id.
std::string build_id(const std::vector<unsigned char>& notes, std::size_t align) {
  const auto padded = [align](std::size_t bytes) { return (bytes + align - 1) / align * align; };
  for (std::size_t at = 0; notes.size() - at >= sizeof(ElfW(Nhdr));) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::size_t name = at + sizeof note, id = name + padded(note.n_namesz), next = id + padded(note.n_descsz);
    if (next > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0 &&
        note.n_descsz != 0 && note.n_descsz <= kMostBuildId)
      return hex_of(notes.data() + id, note.n_descsz);
    at = next;
  }
  return {};
}

/// As the tracer writes it (module_key.hpp).
std::string identity_of(int file, const std::vector<ElfW(Phdr)>& headers) {
  for (const ElfW(Phdr) & segment : headers) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes) continue;
    std::vector<unsigned char> notes(segment.p_filesz);
    if (!read_at(file, segment.p_offset, notes.data(), notes.size())) continue;
    if (std::string id = build_id(notes, segment.p_align == 8 ? 8 : 4); !id.empty()) return id;
  }
  struct stat status {};
  if (::fstat(file, &status) != 0) return "-";
  std::string ns = std::to_string(status.st_mtim.tv_nsec);
  ns.insert(0, 9 - ns.size(), '0');
  return "stat:" + std::to_string(status.st_size) + ':' + std::to_string(status.st_mtim.tv_sec) + '.' + ns;
}

struct Part {
  std::uint64_t table = 0;  // virtual address of .eh_frame_hdr
  ElfW(Phdr) segment{};     // the part of the file that contains it
};

std::optional<Part> find_part(const std::vector<ElfW(Phdr)>& headers) {
  const auto table =
      std::ranges::find_if(headers, [](const ElfW(Phdr) & header) { return header.p_type == PT_GNU_EH_FRAME; });
  if (table == headers.end()) return std::nullopt;
  for (const ElfW(Phdr) & segment : headers)
    if (segment.p_type == PT_LOAD && table->p_vaddr - segment.p_vaddr < segment.p_filesz &&
        segment.p_filesz <= kMostImageBytes)
      return Part{table->p_vaddr, segment};
  return std::nullopt;
}

/// The kernel's code is the same in each process.
UnwindImage own_kernel_code(std::uint64_t& begin) {
  begin = ::getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) return {};
  ElfW(Ehdr) header;
  std::memcpy(&header, reinterpret_cast<const void*>(begin), sizeof header);
  std::vector<ElfW(Phdr)> headers(std::min<std::size_t>(header.e_phnum, kMostHeaders));
  std::memcpy(headers.data(), reinterpret_cast<const void*>(begin + header.e_phoff),
              headers.size() * sizeof(ElfW(Phdr)));
  const auto part = find_part(headers);
  if (!part) return {};
  const auto* const first =
      reinterpret_cast<const unsigned char*>(begin - part->segment.p_offset + part->segment.p_vaddr);
  return {first, first + part->segment.p_filesz, first + (part->table - part->segment.p_vaddr)};
}

}  // namespace

void LoadedFiles::read_list() {
  may_read_ = false;
  std::ifstream file{"/proc/" + std::to_string(pid_) + "/maps"};
  std::vector<Code> codes;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields{line};
    Code code;
    char dash = 0;
    std::string permissions, device, inode;
    fields >> std::hex >> code.begin >> dash >> code.end >> permissions >> code.offset >> device >> inode >> std::ws;
    std::getline(fields, code.path);
    if (permissions.size() > 2 && permissions[2] == 'x' && !code.path.empty()) codes.push_back(std::move(code));
  }
  if (codes.empty() || codes == codes_) return;  // the process has ended, or nothing has changed
  codes_ = std::move(codes);
  images_.clear();
  rules_.clear();
}

const LoadedFiles::Code* LoadedFiles::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(codes_, address, {}, &Code::begin);
  if (after == codes_.begin()) return nullptr;
  const Code& code = *std::prev(after);
  return address < code.end ? &code : nullptr;
}

bool LoadedFiles::has_code(std::uint64_t address) const { return find(address) != nullptr; }

bool LoadedFiles::is_same_file(std::uint64_t address, std::uint64_t other) const {
  const Code *const code = find(address), *const of_other = find(other);
  return code != nullptr && of_other != nullptr && code->path == of_other->path;
}

Descriptor LoadedFiles::open(const Code& code) const {
  const std::string root = "/proc/" + std::to_string(pid_) + "/root";  // the process may be in a container
  Descriptor file{::open((root + code.path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) file = Descriptor{::open(code.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  // A file that was replaced has another name in the list: "... (deleted)".
  if (file && (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))) file = Descriptor{};
  return file;
}

void LoadedFiles::note(std::uint64_t address) {
  const Code* const code = find(address);
  if (code == nullptr || code->path.front() != '/' || std::ranges::find(known_, *code) != known_.end()) return;
  known_.push_back(*code);
  if (std::string text = text_of(*code); !text.empty()) new_files_.push_back(std::move(text));
}

std::string LoadedFiles::text_of(const Code& code) const {
  const Descriptor file = open(code);
  if (!file) return {};
  const std::vector<ElfW(Phdr)> headers = read_headers(file.get());
  const auto bias = bias_of(headers, code.begin, code.offset);
  if (!bias) return {};
  std::uint64_t begin = UINT64_MAX, end = 0;
  for (const ElfW(Phdr) & segment : headers) {
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uint64_t>(begin, *bias + segment.p_vaddr);
    end = std::max<std::uint64_t>(end, *bias + segment.p_vaddr + segment.p_memsz);
  }
  std::ostringstream text;
  text << std::hex << begin << ' ' << end << ' ' << *bias << ' ' << identity_of(file.get(), headers) << " - "
       << code.path;
  return text.str();
}

std::optional<LoadedFiles::Image> LoadedFiles::read(const Code& code) const {
  Image image;
  if (code.path == kKernelCode) {
    std::uint64_t begin = 0;
    image.unwind = own_kernel_code(begin);
    image.shift = begin - code.begin;
    return image;
  }
  const Descriptor file = open(code);
  if (!file) return std::nullopt;
  const std::vector<ElfW(Phdr)> headers = read_headers(file.get());
  const auto bias = bias_of(headers, code.begin, code.offset);
  const auto part = find_part(headers);
  if (!bias || !part) return std::nullopt;
  image.bytes.resize(part->segment.p_filesz);
  if (!read_at(file.get(), part->segment.p_offset, image.bytes.data(), image.bytes.size())) return std::nullopt;
  const unsigned char* const first = image.bytes.data();
  image.unwind = {first, first + image.bytes.size(), first + (part->table - part->segment.p_vaddr)};
  image.shift = reinterpret_cast<std::uintptr_t>(first) - (*bias + part->segment.p_vaddr);
  return image;
}

const LoadedFiles::Image* LoadedFiles::image_of(const Code& code) {
  auto known = images_.find(code.begin);
  if (known == images_.end()) known = images_.emplace(code.begin, read(code).value_or(Image{})).first;
  return known->second.unwind.table != nullptr ? &known->second : nullptr;
}

UnwindRule LoadedFiles::rule(std::uint64_t return_address) {
  if (const auto known = rules_.find(return_address); known != rules_.end()) return known->second;
  const Code* code = find(return_address - 1);
  if (code == nullptr && may_read_) {
    read_list();
    code = find(return_address - 1);
  }
  if (code == nullptr) return {};
  const Image* const image = image_of(*code);
  const UnwindRule rule =
      image != nullptr ? read_unwind_rule(image->unwind, static_cast<std::uintptr_t>(return_address + image->shift))
                       : UnwindRule{};
  if (rules_.size() >= kMostRules) rules_.clear();
  rules_.emplace(return_address, rule);
  return rule;
}

}  // namespace meridian
