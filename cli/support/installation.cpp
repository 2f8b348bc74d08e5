// SPDX-License-Identifier: Apache-2.0
#include "cli/support/installation.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTracer = "libmeridian.so";
constexpr const char* kProcessLibrary = "libmeridian-processes.so";
constexpr const char* kAnnotations = "libmeridian-annotations.so";
constexpr const char* kWriter = "meridian-writer";

/// The directory above that of this program.
fs::path prefix() { return own_path().parent_path().parent_path(); }

/// `name` is relative to lib/meridian/.
std::optional<fs::path> find_library(const fs::path& name) {
  // MERIDIAN_INSTALL_LIBDIR is relative to the prefix ("lib/x86_64-linux-gnu") unless the packager made it absolute.
  for (const fs::path& libraries : {prefix() / "lib", prefix() / MERIDIAN_INSTALL_LIBDIR}) {
    const fs::path candidate = libraries / "meridian" / name;
    if (::access(candidate.c_str(), R_OK) == 0) return candidate.lexically_normal();
  }
  return std::nullopt;
}

}  // namespace

fs::path own_path() {
  std::error_code problem;
  return fs::read_symlink("/proc/self/exe", problem);
}

std::optional<fs::path> find_tracer(Flavor flavor) { return find_library(fs::path{flavor_name(flavor)} / kTracer); }

std::optional<fs::path> find_process_library(Flavor flavor) {
  return find_library(fs::path{flavor_name(flavor)} / kProcessLibrary);
}

std::optional<fs::path> find_annotations() { return find_library(kAnnotations); }

std::vector<Flavor> installed_flavors() {
  std::vector<Flavor> flavors(kFlavors.begin(), kFlavors.end());
  std::erase_if(flavors, [](Flavor flavor) { return !find_tracer(flavor).has_value(); });
  return flavors;
}

std::optional<fs::path> find_writer() {
  for (const fs::path& directory : {prefix() / "libexec", prefix() / MERIDIAN_INSTALL_LIBEXECDIR}) {
    const fs::path candidate = directory / "meridian" / kWriter;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.lexically_normal();
  }
  return std::nullopt;
}

}  // namespace meridian
