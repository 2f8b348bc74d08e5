#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "merger/clocks/clock_report.hpp"
#include "merger/event_ref.hpp"
#include "merger/event_row.hpp"
#include "merger/match/match.hpp"
#include "merger/sites/debug_info.hpp"
#include "merger/statistics/count_events.hpp"
#include "trace/format/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

inline constexpr int kMergedSchemaVersion = 1;
inline constexpr const char* kMergedSchema = "meridian-merged";

/// Writes merged.h5: beside its final name first, renamed by finish(). Dropped without finish(), it leaves nothing.
/// Equal content gives equal bytes. Movable; not thread-safe.
class MergedFileWriter {
 public:
  static Result<MergedFileWriter> create(const std::filesystem::path& path, const Trace& trace);
  MergedFileWriter(MergedFileWriter&&) noexcept;
  MergedFileWriter& operator=(MergedFileWriter&&) noexcept;
  ~MergedFileWriter();

  /// In global order.
  Status append(std::span<const EventRow> rows);
  Status append(std::span<const MatchedMessage> rows);
  /// The parts of an instance together.
  Status append(std::span<const CollectivePart> rows);
  /// Counters of calls, thread by thread; after write_counter_names().
  Status append(const CounterRows& rows);
  Status write_counter_names(const CounterTotals& totals);
  /// What the numbers in the rows mean.
  Status write_definitions(const Trace& trace, std::span<const SourcePlace> places);
  Status write_clocks(const ClockReport& report);
  /// Stores the summary (with the findings), closes, renames.
  Status finish(const Summary& summary);

 private:
  struct Impl;
  explicit MergedFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace meridian
