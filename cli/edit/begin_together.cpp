// SPDX-License-Identifier: Apache-2.0
#include "cli/edit/begin_together.hpp"

#include <cstdint>
#include <optional>

#include "analysis/analyses.hpp"
#include "edit/later_calls.hpp"
#include "edit/write_edit.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

Result<bool> begin_together(const std::filesystem::path& merged,
                            const std::function<void(double fraction, std::string_view what)>& progress) {
  constexpr double kWriting = 0.4;  // of all the time
  MERIDIAN_TRY(const StoredTrace trace, StoredTrace::open(merged));
  MERIDIAN_TRY(const std::optional<std::int64_t> from, find_common_begin(trace));
  if (!from) return false;
  EditOptions options;
  options.description = "merge";
  options.left_out = FindingId::recording_recorder_early;
  options.progress = [&](double fraction, std::string_view what) { progress(fraction * kWriting, what); };
  options.analyse = [&](std::int64_t file, WaitSink& waits, Summary& summary) -> Status {
    MERIDIAN_TRY(const MergedTrace written, MergedTrace::borrow(file));
    return run_analyses(written, summary, &waits,
                        [&](double part) { progress(kWriting + part * (1 - kWriting), "analyses"); });
  };
  LaterCalls edit{*from};
  MERIDIAN_TRY_DO(write_edit(trace, merged, edit, options));
  return true;
}

}  // namespace meridian
