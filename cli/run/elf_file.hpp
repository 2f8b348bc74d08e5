// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace meridian {

/// The parts of a program or library that the dynamic linker uses.
struct ElfFile {
  bool is_native = false;        ///< for the architecture that this program was built for
  bool has_interpreter = false;  ///< requests a dynamic linker; a program that does not is statically linked
  bool has_runpath = false;      ///< search_path is DT_RUNPATH, otherwise DT_RPATH
  std::vector<std::string> needed;
  std::string search_path;  ///< unexpanded, with $ORIGIN
};

/// nullopt if the file cannot be read or is not an ELF file. For a damaged one, the parts that are valid.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace meridian
