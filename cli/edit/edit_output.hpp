// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "edit/event_edit.hpp"
#include "trace/containers/temp_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Arguments of every command that makes another trace of a merged one.
struct EditArguments {
  std::string trace, output;
  bool is_forced = false;
};

/// Adds the positional argument and -o; --force comes last, with add_edit_force().
void add_edit_options(Command& command, EditArguments& arguments);
void add_edit_force(Command& command, EditArguments& arguments);

/// The input of an edit.
struct EditSource {
  std::filesystem::path merged;
  std::shared_ptr<TempFile> scratch;  ///< in the directory of the output
  std::function<void(double fraction, std::string_view what)> progress;
};
using MakeEdit = std::function<Result<std::unique_ptr<EventEdit>>(const EditSource& source)>;

/// Writes the trace, prints what was left out. Returns the exit code.
///
/// description  of the edit with its options, for the findings of the new trace
int run_edit(const EditArguments& arguments, const std::string& description, const MakeEdit& make);

}  // namespace meridian
