// SPDX-License-Identifier: Apache-2.0
#pragma once

// A subcommand described as data; command_line.cpp parses the command line with it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace meridian {

/// Smallest and largest value of an option.
struct AllowedRange {
  double least = 0;
  double most = 0;
};
/// Used instead of a range: whole numbers from 1 on.
struct Positive {};

/// One option, positional argument or flag of a subcommand.
struct CommandOption {
  /// Destination of the value. An option without `value` stores the text in braces of its name in a string.
  using Target = std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*, double*,
                              std::uint64_t*>;
  using Limit = std::variant<std::monostate, AllowedRange, Positive>;

  std::string names{};  ///< "-o,--output"; "--strict{yes}"; without dashes: a positional argument
  std::string value{};  ///< name of the value in help; empty: a flag
  std::string help{};
  Target target{};
  Limit limit{};
  bool is_required = false;
  std::string excludes{};              ///< name of an earlier option that excludes this one
  std::vector<std::string> choices{};  ///< for completions; the command itself checks the value
};

/// A subcommand. `run` owns the targets of its options.
struct Command {
  std::string name;
  std::string help{};
  std::vector<CommandOption> options{};
  std::function<int()> run{};  ///< called once all targets are filled in; returns the exit code
  std::string footer{};        ///< printed below the options
  bool takes_signs = false;    ///< an argument with a single dash and several characters ("-coll") is no option
};

}  // namespace meridian
