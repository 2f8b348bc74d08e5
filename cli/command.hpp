// SPDX-License-Identifier: Apache-2.0
#pragma once

// A subcommand described as data; command_line.cpp reads the command line by it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace meridian {

/// Smallest and largest value that an option takes.
struct AllowedRange {
  double least = 0;
  double most = 0;
};
/// In place of a range: whole numbers from 1 on.
struct Positive {};

/// One option, positional argument or flag of a subcommand.
struct CommandOption {
  /// What a value is stored in; a string of an option without `value` gets what its name has in braces.
  using Target = std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*, double*,
                              std::uint64_t*>;
  using Limit = std::variant<std::monostate, AllowedRange, Positive>;

  std::string names{};  ///< "-o,--output"; "--strict{yes}"; without a dash, an argument that is known by its position
  std::string value{};  ///< what help calls the value; empty: a flag, which has none
  std::string help{};
  Target target{};
  Limit limit{};
  bool is_required = false;
  std::string excludes{};  ///< name of an option before this one that it cannot be given together with
};

/// A subcommand. `run` owns what the targets of its options point to.
struct Command {
  std::string name;
  std::string help{};
  std::vector<CommandOption> options{};
  std::function<int()> run{};  ///< called once all targets are filled in; returns the exit code
  std::string footer{};        ///< printed below the options
};

}  // namespace meridian
