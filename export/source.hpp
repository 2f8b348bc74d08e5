// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "choice/event_choice.hpp"
#include "choice/selection.hpp"
#include "export/left_out.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// Receives the progress of an export, 0 to 1, and the name of the part that is being written.
using ExportProgress = std::function<void(double fraction, std::string_view what)>;

/// The input of an export: the trace, and where the export reports its progress and what it leaves out.
struct ExportSource {
  const MergedTrace& trace;
  ExportProgress progress{};
  const EventChoice* choice = nullptr;        ///< null: everything is exported
  const TraceSelection* selection = nullptr;  ///< what the choice was made from
  LeftOut left_out{};
  std::filesystem::path rules{};  ///< file of rewriting rules, for the format `text`

  bool keeps(std::uint64_t row) const { return choice == nullptr || choice->keeps(row); }
  bool shows_message(std::uint64_t number) const { return choice == nullptr || choice->shows_message(number); }
  bool shows_instance(std::uint64_t instance) const { return choice == nullptr || choice->shows_instance(instance); }
  /// Counts what is not selected.
  void count_unselected() {
    if (choice == nullptr) return;
    left_out.add("calls and user events that are not selected", trace.events() - choice->kept());
    left_out.add("messages that are not selected", trace.messages() - choice->shown_messages());
    left_out.add("collectives that are not selected", trace.instances() - choice->shown_instances());
  }

  void report(std::string_view what, std::uint64_t done, std::uint64_t all) const {
    if (progress && all != 0) progress(static_cast<double>(done) / static_cast<double>(all), what);
  }
};

}  // namespace meridian
