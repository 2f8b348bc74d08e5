// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string>
#include <vector>

namespace meridian {

/// The bytes of a small ELF file as a linker would lay it out: headers, dynamic section, strings.
class ElfBuilder {
 public:
  ElfBuilder& needs(const std::string& library) { return entry(DT_NEEDED, library); }
  ElfBuilder& rpath(const std::string& path) { return entry(DT_RPATH, path); }
  ElfBuilder& runpath(const std::string& path) { return entry(DT_RUNPATH, path); }
  ElfBuilder& interpreter() {
    has_interpreter_ = true;
    return *this;
  }
  ElfBuilder& machine(int number) {
    machine_ = number;
    return *this;
  }

  std::string bytes() const {
    const std::size_t headers = sizeof(ElfW(Ehdr)) + 3 * sizeof(ElfW(Phdr));
    const std::size_t dynamic_bytes = (entries_.size() + 2) * sizeof(ElfW(Dyn));
    ElfW(Ehdr) header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = static_cast<ElfW(Half)>(machine_ >= 0 ? machine_ : own_machine());
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(ElfW(Phdr));
    header.e_phnum = static_cast<ElfW(Half)>(has_interpreter_ ? 3 : 2);
    ElfW(Phdr) load{};
    load.p_type = PT_LOAD;
    load.p_vaddr = kBase;
    load.p_filesz = headers + dynamic_bytes + strings_.size();
    ElfW(Phdr) dynamic{};
    dynamic.p_type = PT_DYNAMIC;
    dynamic.p_offset = headers;
    dynamic.p_filesz = dynamic_bytes;
    ElfW(Phdr) interpreter{};
    interpreter.p_type = PT_INTERP;
    std::string result = raw(header) + raw(load) + raw(dynamic) + raw(interpreter);
    for (const ElfW(Dyn) & entry : entries_) result += raw(entry);
    ElfW(Dyn) table{};
    table.d_tag = DT_STRTAB;
    table.d_un.d_ptr = kBase + headers + dynamic_bytes;
    return result + raw(table) + raw(ElfW(Dyn){}) + strings_;
  }

  /// Machine number of this very program.
  static int own_machine() {
    ElfW(Ehdr) header{};
    if (FILE* const self = std::fopen("/proc/self/exe", "rb")) {
      if (std::fread(&header, sizeof header, 1, self) != 1) header.e_machine = EM_NONE;
      std::fclose(self);
    }
    return header.e_machine;
  }

 private:
  static constexpr ElfW(Addr) kBase = 0x10000;

  ElfBuilder& entry(long tag, const std::string& text) {
    ElfW(Dyn) entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = strings_.size();
    entries_.push_back(entry);
    strings_ += text + '\0';
    return *this;
  }
  template <class T>
  static std::string raw(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

  std::vector<ElfW(Dyn)> entries_;
  std::string strings_ = std::string(1, '\0');
  bool has_interpreter_ = false;
  int machine_ = -1;
};

}  // namespace meridian
