// SPDX-License-Identifier: Apache-2.0
#include "cli/run/program.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "cli/run/library_search.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr int kMostInterpreters = 4;  ///< a script's interpreter may be a script; same limit as the kernel

Error cannot_run(Errc code, const std::string& name, const std::string& reason, const std::string& hint) {
  return Error{code, "cannot run '" + name + "': " + reason, hint};
}

/// Whether the kernel gives the program more rights than its caller has: the dynamic linker then ignores LD_PRELOAD.
bool is_privileged(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  const bool is_set_id =
      (status.st_mode & S_ISUID) != 0 || ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0);
  return is_set_id || ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

/// "/bin/sh" for a script that begins with "#! /bin/sh -e"; empty for other files.
fs::path interpreter_of(const fs::path& path) {
  constexpr std::size_t kLongestLine = 4096;
  std::ifstream file{path, std::ios::binary};
  std::string line(kLongestLine, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  if (!line.starts_with("#!")) return {};
  line = line.substr(2, line.find('\n') - 2);
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string::npos) return {};
  return line.substr(start, line.find_first_of(" \t\r", start) - start);
}

}  // namespace

Result<fs::path> find_program(const std::string& name) {
  std::vector<fs::path> candidates;
  if (name.find('/') != std::string::npos) {
    candidates.emplace_back(name);
  } else if (!name.empty()) {
    const char* const path = std::getenv("PATH");
    for (const fs::path& directory : split_search_path(path == nullptr ? "/bin:/usr/bin" : path, ""))
      candidates.push_back(directory / name);
  }
  std::error_code problem;
  bool is_there = false;
  for (const fs::path& candidate : candidates) {
    const auto type = fs::status(candidate, problem).type();
    if (type == fs::file_type::not_found || type == fs::file_type::none) continue;
    if (type == fs::file_type::directory) {
      if (candidates.size() == 1) return cannot_run(Errc::not_found, name, "it is a directory", "name a program in it");
      continue;
    }
    is_there = true;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  if (is_there) return cannot_run(Errc::io, name, "it is not executable", "chmod +x '" + name + "'");
  const bool is_here = fs::exists(name, problem) && !fs::is_directory(name, problem);
  return cannot_run(Errc::not_found, name, name.find('/') != std::string::npos ? "no such file" : "not found in PATH",
                    is_here ? "the one in this directory is './" + name + "'" : "check the name and the directory");
}

std::optional<Flavor> flavor_of_libraries(const std::vector<std::string>& names, std::string& library) {
  const auto has_prefix = [](std::string_view prefix) {
    return [prefix](const std::string& name) { return std::string_view{name}.starts_with(prefix); };
  };
  for (const std::string& path : names) {
    const std::string name = path.substr(path.rfind('/') + 1);
    library = name;
    if (name.starts_with("libmpich.so") || name.starts_with("libmpi_cray.so") || name.starts_with("libmpi_gnu"))
      return Flavor::mpich;
    if (name.starts_with("libmpi_abi.so")) return Flavor::abi;
    if (!name.starts_with("libmpi.so")) continue;
    // libmpi.so.12 is the common name of MPICH and its derivatives, but Open MPI 1.10 used it too, with its own run
    // time.
    const bool is_mpich = name == "libmpi.so.12" && std::none_of(names.begin(), names.end(), has_prefix("libopen-"));
    return is_mpich ? Flavor::mpich : Flavor::openmpi;
  }
  library.clear();
  return std::nullopt;
}

ProgramFacts inspect_program(const fs::path& path) {
  ProgramFacts facts;
  fs::path program = path;
  for (int i = 0; i < kMostInterpreters; ++i) {
    const fs::path interpreter = interpreter_of(program);
    if (interpreter.empty()) break;
    program = interpreter;
  }
  const auto elf = read_elf(program);
  if (!elf) return facts;  // a script without #!, which the shell will run, or a file that exec will refuse
  if (!elf->is_native)
    facts.obstacle = "it is built for another kind of machine";
  else if (!elf->has_interpreter)
    facts.obstacle = "it is statically linked";
  else if (is_privileged(program))
    facts.obstacle = "it is set-user-ID, set-group-ID or has capabilities";
  if (!facts.obstacle.empty()) return facts;
  const char* const library_path = std::getenv("LD_LIBRARY_PATH");
  const LibrarySearch search{library_path == nullptr ? "" : library_path};
  const std::vector<std::string> libraries = library_closure(program, search);
  facts.flavor = flavor_of_libraries(libraries, facts.library);
  const auto file_name = [](const std::string& name) { return name.substr(name.rfind('/') + 1); };
  const auto tracer = std::ranges::find(libraries, "libmeridian.so", file_name);
  facts.is_linked_with_tracer = tracer != libraries.end();
  facts.is_tracer_behind_mpi =
      facts.flavor && tracer > std::ranges::find(libraries, facts.library, file_name) && facts.is_linked_with_tracer;
  return facts;
}

}  // namespace meridian
