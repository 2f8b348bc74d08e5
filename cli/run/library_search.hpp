// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds shared libraries as the dynamic linker does, without running anything: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH,
// the linker's cache, the default directories. See ld.so(8).

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/elf_file.hpp"

namespace meridian {

class LibrarySearch {
 public:
  /// library_path  the value of LD_LIBRARY_PATH; cache  the linker's cache, normally /etc/ld.so.cache.
  explicit LibrarySearch(std::string_view library_path, const std::filesystem::path& cache = "/etc/ld.so.cache");

  /// Path of the library `name` (a DT_NEEDED entry) that the linker would load for `user`, the file at `user_path`.
  /// `inherited` holds the DT_RPATH of the files that need `user`. nullopt if there is none for this architecture.
  std::optional<std::filesystem::path> find(const std::string& name, const ElfFile& user,
                                            const std::filesystem::path& user_path,
                                            const std::vector<std::filesystem::path>& inherited) const;
  std::optional<std::filesystem::path> find(const std::string& name) const { return find(name, ElfFile{}, "", {}); }

 private:
  std::vector<std::filesystem::path> library_path_;
  std::multimap<std::string, std::filesystem::path> cache_;
};

/// The directories of a search path, split at any of `separators`; $ORIGIN is the directory of `file`, an empty entry
/// is ".".
std::vector<std::filesystem::path> split_search_path(std::string_view list, const std::filesystem::path& file,
                                                     const char* separators = ":");

/// Names of all shared libraries that the program at `path` is linked with, nearest first, without the program itself.
std::vector<std::string> library_closure(const std::filesystem::path& path, const LibrarySearch& search);

}  // namespace meridian
