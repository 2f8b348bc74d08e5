// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "merged/model/clock_report.hpp"
#include "merged/model/merged_schema.hpp"
#include "merger/model/event_ref.hpp"
#include "merger/model/event_row.hpp"
#include "merger/model/sinks.hpp"
#include "merger/model/trace.hpp"
#include "merger/output/merged_output.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/statistics/count_events.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Writes merged.h5 under a temporary name, which finish() changes to the final one. Without finish() it leaves no
/// file. Equal content gives equal bytes. Movable; not thread-safe.
class MergedFileWriter {
 public:
  static Result<MergedFileWriter> create(const std::filesystem::path& path, const Trace& trace);
  MergedFileWriter(MergedFileWriter&&) noexcept;
  MergedFileWriter& operator=(MergedFileWriter&&) noexcept;
  ~MergedFileWriter();

  /// The sites of the call paths that follow those known so far. Before rows with these paths.
  void add_paths(std::span<const std::uint32_t> sites);
  /// In global order.
  Status append(std::span<const EventRow> rows);
  Status append(std::span<const MatchedMessage> rows);
  /// The parts of an instance must be consecutive.
  Status append(std::span<const CollectivePart> rows);
  Status append(std::span<const AwaitedCall> rows);
  /// The values of a user event: words.
  Status append(const EventRef& event, std::span<const std::uint64_t> words);
  Status seal_user_values();  ///< after the last of them
  /// Counters of calls, thread by thread; after write_counter_names().
  Status append(const CounterRows& rows);
  Status write_counter_names(const CounterTotals& totals);
  /// Writes the definitions of the numbers in the rows.
  Status write_definitions(const Trace& trace, std::span<const SourcePlace> places);
  Status write_clocks(const ClockReport& report);
  /// The HDF5 file (hid_t), for tables beside those of events.
  std::int64_t id() const;
  using Analyse = MergedOutput::Analyse;
  /// Stores the summary with the findings, closes and renames the file. `analyse` may be empty.
  Status finish(Summary& summary, const Analyse& analyse);

 private:
  struct Impl;
  explicit MergedFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace meridian
