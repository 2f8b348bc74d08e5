// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "edit/event_edit.hpp"
#include "edit/remaining_summary.hpp"
#include "merger/model/findings.hpp"
#include "merger/output/merged_output.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct EditOptions {
  std::string description{};                      ///< of the edit, for the findings: "cut --from 1s"
  FindingId left_out = FindingId::edit_left_out;  ///< says which events are gone
  /// May be empty. Receives the progress, 0 to 1, and the name of the step.
  std::function<void(double fraction, std::string_view what)> progress{};
  MergedOutput::Analyse analyse{};  ///< may be empty; as for merge()
};

/// Writes the events that `edit` makes of a merged file, with all that refers to them, to another merged file: the
/// messages and collectives of which all ends remain, counters, definitions, clocks, and a summary of what remains. An
/// existing file is replaced when the new one is complete.
///
/// errors  of the input: damaged, io, not_found, unsupported; of the output: io
Result<EditCounts> write_edit(const StoredTrace& trace, const std::filesystem::path& output, EventEdit& edit,
                              const EditOptions& options);

}  // namespace meridian
