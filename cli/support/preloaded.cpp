// SPDX-License-Identifier: Apache-2.0
#include "cli/support/preloaded.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/support/installation.hpp"

namespace meridian {
namespace {

constexpr const char* kPreload = "LD_PRELOAD";
constexpr std::string_view kSeparators = " :";  // ld.so(8)

/// The arguments with which this program was started.
std::vector<std::string> own_arguments() {
  std::ifstream file{"/proc/self/cmdline", std::ios::binary};
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace

std::string without_tracer(std::string_view preloaded) {
  std::string kept;
  while (!preloaded.empty()) {
    const std::size_t end = std::min(preloaded.find_first_of(kSeparators), preloaded.size());
    const std::string_view library = preloaded.substr(0, end);
    if (!library.empty() && std::filesystem::path{library}.filename() != "libmeridian.so")
      kept.append(kept.empty() ? "" : ":").append(library);
    preloaded.remove_prefix(std::min(end + 1, preloaded.size()));
  }
  return kept;
}

void restart_without_tracer() {
  const char* const preloaded = std::getenv(kPreload);
  if (preloaded == nullptr || std::string_view{preloaded}.find("libmeridian.so") == std::string_view::npos) return;
  const std::string kept = without_tracer(preloaded);
  if (kept == preloaded) return;
  if (kept.empty())
    ::unsetenv(kPreload);
  else
    ::setenv(kPreload, kept.c_str(), 1);
  std::vector<std::string> arguments = own_arguments();
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(own_path().c_str(), words.data());
}

}  // namespace meridian
