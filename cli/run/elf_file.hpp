// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace meridian {

/// What the dynamic linker would see in a program or library.
struct ElfFile {
  bool is_native = false;        ///< for the kind of machine that this program was built for
  bool has_interpreter = false;  ///< asks for a dynamic linker: a program without it is statically linked
  bool has_runpath = false;      ///< search_path is DT_RUNPATH, else DT_RPATH
  std::vector<std::string> needed;
  std::string search_path;  ///< as it is in the file, $ORIGIN and all
};

/// nullopt when the file cannot be read or is no ELF file. A damaged one yields what could be read within its bounds.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace meridian
