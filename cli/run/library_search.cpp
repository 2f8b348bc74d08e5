// SPDX-License-Identifier: Apache-2.0
#include "cli/run/library_search.hpp"

#include <cstdint>
#include <cstring>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLibraries = 4096;
constexpr std::uintmax_t kLargestCache = 64u << 20;
#if defined(__x86_64__)
constexpr const char* kDefaultDirectories[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#elif defined(__aarch64__)
constexpr const char* kDefaultDirectories[] = {
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#else
constexpr const char* kDefaultDirectories[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#endif

/// The cache of ldconfig, as described in glibc's dl-cache.h: header, entries, strings.
struct CacheHeader {
  char magic[20];  ///< "glibc-ld.so.cache" "1.1"
  std::uint32_t count;
  std::uint32_t string_bytes;
  std::uint32_t unused[5];
};
struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name;  ///< offset from the header
  std::uint32_t path;
  std::uint32_t os_version;
  std::uint64_t hardware;
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24);
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";

std::string read_whole(const fs::path& path) {
  std::error_code problem;
  if (fs::file_size(path, problem) > kLargestCache || problem) return {};
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::multimap<std::string, fs::path> read_cache(const fs::path& path) {
  std::multimap<std::string, fs::path> libraries;
  const std::string bytes = read_whole(path);
  const std::size_t start = bytes.find(kCacheMagic);  // an older format may precede it
  if (start == std::string::npos || bytes.size() - start < sizeof(CacheHeader)) return libraries;
  const std::string_view cache = std::string_view{bytes}.substr(start);
  CacheHeader header{};
  std::memcpy(&header, cache.data(), sizeof header);
  if (header.count > (cache.size() - sizeof header) / sizeof(CacheEntry)) return libraries;
  const auto string_at = [&](std::uint32_t offset) {
    if (offset >= cache.size()) return std::string{};
    const std::string_view rest = cache.substr(offset);
    return std::string{rest.substr(0, std::min(rest.find('\0'), rest.size()))};
  };
  for (std::uint32_t i = 0; i < header.count; ++i) {
    CacheEntry entry{};
    std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
    libraries.emplace(string_at(entry.name), string_at(entry.path));
  }
  return libraries;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

bool is_usable(const fs::path& path) {
  const auto elf = read_elf(path);
  return elf && elf->is_native;
}

}  // namespace

std::vector<fs::path> split_search_path(std::string_view list, const fs::path& file, const char* separators) {
  std::vector<fs::path> directories;
  const std::string origin = file.has_parent_path() ? file.parent_path().string() : ".";
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    std::string directory{list.substr(0, end)};
    list.remove_prefix(std::min(end + 1, list.size()));
    replace_all(directory, "${ORIGIN}", origin);
    replace_all(directory, "$ORIGIN", origin);
    replace_all(directory, "${LIB}", "lib");
    replace_all(directory, "$LIB", "lib");
    directories.emplace_back(directory.empty() ? "." : directory);
  }
  return directories;
}

LibrarySearch::LibrarySearch(std::string_view library_path, const fs::path& cache)
    : library_path_{split_search_path(library_path, "", ":;")}, cache_{read_cache(cache)} {}

std::optional<fs::path> LibrarySearch::find(const std::string& name, const ElfFile& user, const fs::path& user_path,
                                            const std::vector<fs::path>& inherited) const {
  if (name.find('/') != std::string::npos) return is_usable(name) ? std::optional<fs::path>{name} : std::nullopt;
  const auto try_all = [&](const std::vector<fs::path>& directories) -> std::optional<fs::path> {
    for (const fs::path& directory : directories)
      if (fs::path candidate = directory / name; is_usable(candidate)) return candidate;
    return std::nullopt;
  };
  const std::vector<fs::path> own = split_search_path(user.search_path, user_path);
  if (!user.has_runpath) {
    if (auto found = try_all(own)) return found;
    if (auto found = try_all(inherited)) return found;
  }
  if (auto found = try_all(library_path_)) return found;
  if (user.has_runpath)
    if (auto found = try_all(own)) return found;
  for (auto [entry, end] = cache_.equal_range(name); entry != end; ++entry)
    if (is_usable(entry->second)) return entry->second;
  return try_all({std::begin(kDefaultDirectories), std::end(kDefaultDirectories)});
}

std::vector<std::string> library_closure(const fs::path& path, const LibrarySearch& search) {
  struct User {
    fs::path path;
    std::vector<fs::path> inherited;
  };
  std::vector<std::string> closure;
  std::set<std::string> seen;
  std::deque<User> queue{{path, {}}};
  while (!queue.empty() && closure.size() < kMostLibraries) {
    User user = std::move(queue.front());
    queue.pop_front();
    const auto elf = read_elf(user.path);
    if (!elf) continue;
    std::vector<fs::path> inherited = user.inherited;
    if (!elf->has_runpath)
      for (fs::path& directory : split_search_path(elf->search_path, user.path))
        inherited.push_back(std::move(directory));
    for (const std::string& name : elf->needed) {
      if (!seen.insert(name).second) continue;
      closure.push_back(name);
      if (auto found = search.find(name, *elf, user.path, user.inherited)) queue.push_back({*found, inherited});
    }
  }
  return closure;
}

}  // namespace meridian
