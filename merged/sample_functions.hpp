// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "merged/model/samples.hpp"

namespace meridian {

/// The functions of the program that samples were in. Frames that the program did not write are passed over to the first one that it
/// did: the C library's, the compiler's and its languages' libraries, functions of the system's headers.
class SampleFunctions {
 public:
  struct Function {
    std::string name;    ///< without the compiler's suffixes; of code without symbols "(no symbols)"
    std::string file;    ///< empty: unknown
    std::string module;  ///< base name; empty: unknown
  };
  /// A line of a function.
  struct Line {
    std::uint32_t function = 0;
    std::uint32_t line = 0;  ///< 0: unknown
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// `names` must outlive it.
  explicit SampleFunctions(const SampleNames& names);

  const std::vector<Function>& functions() const noexcept { return functions_; }
  /// The line of the program that a sample of this path was in; function kNone: no frame of the program is known.
  const Line& line_of(std::uint32_t path) const { return lines_[path]; }
  /// The frames of the program on the path from line_of(path) on, with the functions into which they are inlined; of a recursion the
  /// innermost one of each function.
  std::vector<Line> frames_of(std::uint32_t path) const;
  /// "main (app.c:8)", "solve (solver.c:40) <- main (app.c:8)": the callers of line_of(path), at most `most`. A function into which the
  /// one before it is inlined has no line; one that calls itself comes once.
  std::string callers_of(std::uint32_t path, std::size_t most) const;

 private:
  void find_outer_functions();
  std::uint32_t outer_of(std::uint32_t path) const { return outer_[names_->paths[path].place]; }

  const SampleNames* names_;
  std::vector<Function> functions_;
  std::vector<Line> place_lines_;  // [place]; kNone: not of the program
  std::vector<std::uint32_t>
      outer_;                // [place]: function into which another one is inlined there; kNone: no function is inlined
  std::vector<Line> lines_;  // [path]
  std::vector<std::uint32_t>
      paths_;  // [path]: the nearest one towards main() whose frame is of the program, itself included; 0: none
};

/// Longest name of a function in the tables of the summary. Longer ones, of templates, are shortened.
inline constexpr std::size_t kMostFunctionName = 60;

/// The line, or path, with most samples; 0, which is an unknown one, only if there is no other.
std::uint32_t most_sampled(const std::map<std::uint32_t, std::uint64_t>& counts);

/// "assemble (app.c:4)", "solve (libsolver.so)" without a line.
std::string function_place(const SampleFunctions::Function& function, std::uint32_t line);
/// "app.c:4"; "app.c" without a line; the module without a file.
std::string place_of(const SampleFunctions::Function& function, std::uint32_t line);

}  // namespace meridian
