// SPDX-License-Identifier: Apache-2.0
#include "cli/pack/container_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace meridian {
namespace {

constexpr std::size_t kMostCharacters = 200;  // file systems permit 255
constexpr std::string_view kUsual = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";

std::string usual_name(std::string name) {
  name.resize(std::min(name.size(), kMostCharacters));
  std::ranges::replace_if(
      name, [](char c) { return kUsual.find(c) == std::string_view::npos; }, '_');
  return name.empty() ? "unknown" : name;
}

}  // namespace

std::filesystem::path free_container_path(const std::filesystem::path& directory, const std::string& hostname) {
  const std::string name = usual_name(hostname);
  std::filesystem::path path = directory / fmt::format("ranks-{}.h5", name);
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(path, ignored)); ++number)
    path = directory / fmt::format("ranks-{}-{}.h5", name, number);
  return path;
}

}  // namespace meridian
