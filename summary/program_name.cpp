// SPDX-License-Identifier: Apache-2.0
#include "summary/program_name.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace meridian {
namespace {

/// Interpreters with which people run MPI programs; their names may end with a version.
constexpr std::array<std::string_view, 8> kInterpreters{"python", "pypy",   "julia", "perl",
                                                        "ruby",   "octave", "R",     "Rscript"};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_interpreter(std::string_view name) {
  const std::string_view letters = name.substr(0, name.find_first_of("0123456789.-"));
  return std::ranges::find(kInterpreters, letters) != kInterpreters.end();
}

/// Takes the first word from the text; empty: there are no more.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

/// The script or module of the command line of an interpreter; empty: it has none, as with `-c`.
std::string_view script_of(std::string_view command) {
  next_word(command);
  for (std::string_view word = next_word(command); !word.empty(); word = next_word(command)) {
    if (word == "-c" || word == "-e") return {};
    if (word == "-m") {
      const std::string_view module = next_word(command);
      if (module != "mpi4py") return module;
      continue;  // runs the script or the module that follows
    }
    if (word == "-W" || word == "-X") next_word(command);  // with a value
    if (!word.starts_with('-')) return base_name(word);
  }
  return {};
}

}  // namespace

std::string program_name(const Summary& summary) {
  const std::string_view executable = base_name(summary.run.executable);
  if (!is_interpreter(executable) || summary.context.empty()) return std::string{executable};
  const std::string_view script = script_of(summary.context.front().command);
  return std::string{script.empty() ? executable : script};
}

}  // namespace meridian
