// SPDX-License-Identifier: Apache-2.0
#include "merged/sample_functions.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

constexpr std::string_view kNoSymbols = "(no symbols)";

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Libraries of the system and of compilers, whose functions nobody changes.
bool is_system_library(std::string_view module) {
  for (const std::string_view start : {"libc.so", "libc-", "libm.so", "libm-", "libmvec", "libpthread", "librt.so",
                                       "libdl.so", "ld-linux", "ld-musl", "libstdc++", "libc++", "libgcc_s", "libgomp",
                                       "libomp.", "libiomp", "libgfortran", "libquadmath", "libmeridian"})
    if (module.starts_with(start)) return true;
  return false;
}

/// Functions of the system that call main() and the start functions of threads.
bool is_start(std::string_view function) {
  for (const std::string_view name : {"_start", "__libc_start_main", "__libc_start_call_main", "start_thread"})
    if (function == name) return true;
  return false;
}

}  // namespace

SampleFunctions::SampleFunctions(const SampleNames& names) : names_{&names} {
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> known;
  std::vector<std::string> modules;
  for (const SampleModule& module : names.modules) modules.push_back(base_name(module.path));
  // Code that the compiler made without a line is of the file of the function's other code.
  std::map<std::tuple<std::string, std::uint32_t>, std::string> file_of;
  for (const SamplePlace& place : names.places)
    if (!place.file.empty()) file_of.try_emplace({place.function, place.module}, place.file);
  place_lines_.push_back({kNone, 0});
  for (std::size_t i = 1; i < names.places.size(); ++i) {
    const SamplePlace& place = names.places[i];
    const std::string& module = modules[place.module];
    if (module.empty() || is_system_library(module) || is_system_header(place.file) || is_start(place.function)) {
      place_lines_.push_back({kNone, 0});
      continue;
    }
    Function function{place.function.empty() ? std::string{kNoSymbols} : without_copy_marks(place.function), place.file,
                      module};
    if (const auto file = file_of.find({place.function, place.module}); place.file.empty() && file != file_of.end())
      function.file = file->second;
    const auto [at, is_new] = known.try_emplace({function.name, function.file, function.module},
                                                static_cast<std::uint32_t>(functions_.size()));
    if (is_new) functions_.push_back(std::move(function));
    place_lines_.push_back({at->second, place.line});
  }
  const auto is_in_header = [&](std::uint32_t path) {
    return is_header(functions_[place_lines_[names.paths[path].place].function].file);
  };
  for (std::uint32_t path = 0; path < names.paths.size(); ++path) {
    const std::uint32_t parent = names.paths[path].parent, above = parent < path ? paths_[parent] : 0;
    const bool is_program = place_lines_[names.paths[path].place].function != kNone;
    const bool is_passed = !is_program || (above != 0 && is_in_header(path) && !is_in_header(above));
    paths_.push_back(is_passed ? above : path);
    lines_.push_back(place_lines_[names.paths[paths_.back()].place]);
  }
}

std::vector<SampleFunctions::Line> SampleFunctions::frames_of(std::uint32_t path) const {
  std::vector<Line> found;
  for (path = paths_[path]; path != 0; path = paths_[names_->paths[path].parent])
    if (std::ranges::find(found, lines_[path].function, &Line::function) == found.end()) found.push_back(lines_[path]);
  return found;
}

std::string SampleFunctions::callers_of(std::uint32_t path, std::size_t most) const {
  std::string text;
  path = paths_[path];
  for (std::size_t count = 0; path != 0 && count < most;) {
    const std::uint32_t called = lines_[path].function;
    path = paths_[names_->paths[path].parent];
    if (path == 0) break;
    const Function& function = functions_[lines_[path].function];
    // Functions of a file without symbols have one name: once is enough.
    if (lines_[path].function == called && function.name == kNoSymbols) continue;
    if (count++ != 0) text += " <- ";
    text += function_place(function, lines_[path].line);
  }
  return text;
}

std::string place_of(const SampleFunctions::Function& function, std::uint32_t line) {
  if (function.file.empty()) return function.module;
  if (line == 0) return base_name(function.file);
  return base_name(function.file) + ":" + std::to_string(line);
}

std::uint32_t most_sampled(const std::map<std::uint32_t, std::uint64_t>& counts) {
  std::uint32_t best = 0;
  std::uint64_t most = 0;
  for (const auto& [number, samples] : counts)
    if (number != 0 && samples > most) best = number, most = samples;
  return best;
}

std::string function_place(const SampleFunctions::Function& function, std::uint32_t line) {
  return shorten_templates(function.name, kMostFunctionName) + " (" + place_of(function, line) + ")";
}

}  // namespace meridian
