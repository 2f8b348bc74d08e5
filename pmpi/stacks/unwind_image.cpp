// SPDX-License-Identifier: Apache-2.0
// Finds the unwind information of a loaded file.

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "pmpi/stacks/unwind_image.hpp"

namespace meridian {
namespace {

/// The readable segment that contains the table of a file with these headers.
UnwindImage image_of(const ElfW(Phdr) * headers, std::size_t count, std::uintptr_t bias) noexcept {
  std::uintptr_t table = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_GNU_EH_FRAME) table = bias + headers[i].p_vaddr;
  if (table == 0) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const ElfW(Phdr)& segment = headers[i];
    const std::uintptr_t begin = bias + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0 || table - begin >= segment.p_memsz) continue;
    const auto* const first = reinterpret_cast<const unsigned char*>(begin);
    return {first, first + segment.p_memsz, first + (table - begin)};
  }
  return {};
}

struct Found {
  std::uintptr_t address = 0;
  std::uintptr_t begin = 0;
  UnwindImage image;
};

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  auto& found = *static_cast<Found*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || found.address - object->dlpi_addr - segment.p_vaddr >= segment.p_memsz) continue;
    found.begin = object->dlpi_addr + object->dlpi_phdr[0].p_vaddr;  // the same for every address in the file
    found.image = image_of(object->dlpi_phdr, object->dlpi_phnum, object->dlpi_addr);
    return 1;
  }
  return 0;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // glibc 2.35

/// The program headers at the beginning of a file, where linkers put them.
UnwindImage image_at(const dl_find_object& object) noexcept {
  constexpr std::size_t kPage = 4096;  // at least this much is mapped
  ElfW(Ehdr) header;
  memcpy(&header, object.dlfo_map_start, sizeof header);
  const bool is_elf = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_phentsize == sizeof(ElfW(Phdr)) &&
                      header.e_phoff % alignof(ElfW(Phdr)) == 0 && header.e_phoff < kPage &&
                      header.e_phnum <= (kPage - header.e_phoff) / sizeof(ElfW(Phdr));
  if (!is_elf) return {};
  const auto* const headers =
      reinterpret_cast<const ElfW(Phdr)*>(static_cast<const unsigned char*>(object.dlfo_map_start) + header.e_phoff);
  const UnwindImage image = image_of(headers, header.e_phnum, object.dlfo_link_map->l_addr);
  return image.table == object.dlfo_eh_frame ? image : UnwindImage{};
}

}  // namespace

UnwindImage find_unwind_image(std::uintptr_t address) noexcept {
  dl_find_object object;
  if (_dl_find_object(reinterpret_cast<void*>(address), &object) != 0) return {};
  const UnwindImage image = image_at(object);
  if (image.table != nullptr || object.dlfo_eh_frame == nullptr) return image;
  Found found{address, 0, {}};
  dl_iterate_phdr(&look_at, &found);
  return found.image;
}

std::uintptr_t find_loaded_file(std::uintptr_t address) noexcept {
  dl_find_object object;
  const bool is_found = _dl_find_object(reinterpret_cast<void*>(address), &object) == 0;
  return is_found ? reinterpret_cast<std::uintptr_t>(object.dlfo_map_start) : 0;
}

const char* find_loaded_name(std::uintptr_t address) noexcept {
  dl_find_object object;
  const bool is_found = _dl_find_object(reinterpret_cast<void*>(address), &object) == 0;
  return is_found && object.dlfo_link_map->l_name != nullptr ? object.dlfo_link_map->l_name : "";
}

#else

}  // namespace

const char* find_loaded_name(std::uintptr_t address) noexcept {
  Dl_info file{};
  return dladdr(reinterpret_cast<void*>(address), &file) != 0 && file.dli_fname != nullptr ? file.dli_fname : "";
}

std::uintptr_t find_loaded_file(std::uintptr_t address) noexcept {
  Found found{address, 0, {}};
  dl_iterate_phdr(&look_at, &found);
  return found.begin;
}

UnwindImage find_unwind_image(std::uintptr_t address) noexcept {
  Found found{address, 0, {}};
  dl_iterate_phdr(&look_at, &found);
  return found.image;
}

#endif

UnwindRule find_unwind_rule(std::uintptr_t return_address) noexcept {
  const UnwindImage image = find_unwind_image(return_address - 1);
  return image.table != nullptr ? read_unwind_rule(image, return_address) : UnwindRule{};
}

}  // namespace meridian
