// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "analysis/walk/tiles.hpp"
#include "merged/merged_trace.hpp"
#include "report/data/levels/slot_levels.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

struct TimelineRows;
struct WalkedEvent;

/// What rows can be coloured by besides states: functions called, kinds of waits, ranks that are waited for, and functions of the
/// program by its samples. The largest ones of the summary have slots of their own, all others share the last slot.
class PageColours {
 public:
  /// All of these must outlive it. errors: damaged; io
  static Result<std::unique_ptr<PageColours>> open(const MergedTrace& trace, const Summary& summary,
                                                   const TimelineRows& rows);
  ~PageColours();

  /// A tile of a row, with the wait that it is part of, or nullptr.
  void add(std::uint32_t row, const Tile& tile, const WaitSpan* wait);
  Status look_at(std::span<const WalkedEvent> events);
  /// After the last tile. threads: [row]: how many the row is the mean of. docs/REPORT.md has the format.
  Result<nlohmann::ordered_json> finish(std::span<const std::size_t> threads);

 private:
  struct Samples;
  PageColours(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows);
  void add_samples(std::span<const std::size_t> threads, nlohmann::ordered_json& list) const;

  std::vector<std::string> functions_, waits_, causers_;                   // names of the slots with one
  std::vector<std::size_t> slot_of_call_, slot_of_kind_, slot_of_causer_;  // [call], [kind], [location]
  std::vector<SlotLevels> levels_;                                         // of functions, waits, causers
  std::unique_ptr<Samples> samples_;                                       // nullptr: there are none
};

}  // namespace meridian
