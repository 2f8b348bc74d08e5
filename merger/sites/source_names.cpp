// SPDX-License-Identifier: Apache-2.0
#include "merger/sites/source_names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace meridian {
namespace {

constexpr std::size_t kLongestMangled = 4096;  // longer ones may take the demangler too long

}  // namespace

std::string source_name(std::string_view symbol) {
  if (symbol.starts_with("_Z") && symbol.size() <= kLongestMangled) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name{
        abi::__cxa_demangle(std::string{symbol}.c_str(), nullptr, nullptr, &status), &std::free};
    if (status == 0 && name != nullptr) return name.get();
  }
  constexpr std::string_view kModule = "_MOD_";
  const std::size_t at = symbol.find(kModule);
  if (symbol.starts_with("__") && at != std::string_view::npos && at > 2)
    return std::string{symbol.substr(2, at - 2)} + "::" + std::string{symbol.substr(at + kModule.size())};
  if (symbol.size() > 1 && symbol.ends_with('_') && !symbol.ends_with("__")) symbol.remove_suffix(1);
  return std::string{symbol};
}

std::string source_path(std::string_view folder, std::string_view path) {
  const std::filesystem::path whole = std::filesystem::path{folder} / path;
  return whole.lexically_normal().string();
}

}  // namespace meridian
