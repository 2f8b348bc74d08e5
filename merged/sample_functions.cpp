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

/// The same of a function whose file is unknown.
bool is_of_system(std::string_view function) {
  const std::string name = without_parameters(function);
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") || is_start(name);
}

}  // namespace

SampleFunctions::SampleFunctions(const SampleNames& names) : names_{&names} {
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> known;
  std::vector<std::string> modules;
  for (const SampleModule& module : names.modules) modules.push_back(base_name(module.path));
  // Code that the compiler made without a line, or that is of a header, is of the file of the function's other code.
  std::map<std::tuple<std::string, std::uint32_t>, std::string> file_of;
  for (const SamplePlace& place : names.places)
    if (!place.file.empty() && (!is_header(place.file) || is_system_header(place.file)))
      file_of.try_emplace({place.function, place.module}, place.file);
  place_lines_.push_back({kNone, 0});
  for (std::size_t i = 1; i < names.places.size(); ++i) {
    const SamplePlace& place = names.places[i];
    const std::string& module = modules[place.module];
    const auto other = file_of.find({place.function, place.module});
    const bool has_other = other != file_of.end() && (place.file.empty() || is_header(place.file));
    const std::string& file = has_other ? other->second : place.file;
    if (module.empty() || is_system_library(module) || is_system_header(file) || is_start(place.function)) {
      place_lines_.push_back({kNone, 0});
      continue;
    }
    Function function{place.function.empty() ? std::string{kNoSymbols} : without_copy_marks(place.function), file,
                      module};
    const auto [at, is_new] = known.try_emplace({function.name, function.file, function.module},
                                                static_cast<std::uint32_t>(functions_.size()));
    if (is_new) functions_.push_back(std::move(function));
    place_lines_.push_back({at->second, has_other ? 0 : place.line});
  }
  find_outer_functions();
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

void SampleFunctions::find_outer_functions() {
  std::map<std::tuple<std::string, std::string>, std::uint32_t> known;  // name and module
  for (std::uint32_t i = 0; i < functions_.size(); ++i)
    known.try_emplace({functions_[i].name, functions_[i].module}, i);
  outer_.assign(names_->places.size(), kNone);
  for (std::size_t i = 1; i < names_->places.size(); ++i) {
    const SamplePlace& place = names_->places[i];
    if (place.outer.empty() || place_lines_[i].function == kNone || is_of_system(place.outer)) continue;
    const std::string name = without_copy_marks(place.outer), module = functions_[place_lines_[i].function].module;
    if (name == functions_[place_lines_[i].function].name) continue;
    const auto [at, is_new] = known.try_emplace({name, module}, static_cast<std::uint32_t>(functions_.size()));
    if (is_new) functions_.push_back({name, "", module});  // it may be of another file than what is inlined into it
    outer_[i] = at->second;
  }
}

std::vector<SampleFunctions::Line> SampleFunctions::frames_of(std::uint32_t path) const {
  std::vector<Line> found;
  const auto add = [&found](const Line& line) {
    if (line.function != kNone && std::ranges::find(found, line.function, &Line::function) == found.end())
      found.push_back(line);
  };
  for (path = paths_[path]; path != 0; path = paths_[names_->paths[path].parent]) {
    add(lines_[path]);
    add({outer_of(path), 0});
  }
  return found;
}

std::string SampleFunctions::callers_of(std::uint32_t path, std::size_t most) const {
  std::string text;
  std::size_t count = 0;
  std::uint32_t called = kNone, latest = kNone;
  const auto add = [&](const Line& line) {
    const bool is_again = line.function == std::exchange(called, line.function);
    const Function& function = functions_[line.function];
    // Functions of a file without symbols have one name: once is enough. A recursion is a caller once.
    if (is_again && (function.name == kNoSymbols || latest == line.function)) return;
    latest = line.function;
    if (count++ != 0) text += " <- ";
    text += function_place(function, line.line);
  };
  path = paths_[path];
  if (path != 0) called = lines_[path].function;
  while (path != 0 && count < most) {
    const std::uint32_t outer = outer_of(path);
    path = paths_[names_->paths[path].parent];
    if (outer != kNone) add({outer, 0});
    if (path != 0 && count < most) add(lines_[path]);
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
