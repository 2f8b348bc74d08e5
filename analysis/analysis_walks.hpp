// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/analysis_list.hpp"
#include "merged/merged_trace.hpp"

namespace meridian {

/// The part of the time that walks have come to.
class AnalysisProgress {
 public:
  /// sink  may be empty; gets 0 to 1
  AnalysisProgress(const MergedTrace& trace, const std::function<void(double)>& sink)
      : events_{static_cast<double>(trace.events())}, sink_{sink} {}
  void begin_walk(double from, double to) {
    from_ = from;
    to_ = to;
  }
  void show(std::uint64_t done) const {
    if (sink_) sink_(from_ + (to_ - from_) * static_cast<double>(done) / events_);
  }

 private:
  double events_, from_ = 0, to_ = 0;
  const std::function<void(double)>& sink_;
};

/// Puts the name of an analysis before its error.
Status named(std::string_view name, Status status);

/// Those of `set` that look at events backwards. Fills their tables, and returns the spans of the ranks.
///
/// waits          may be null
/// before_finish  called after the walk, before waits are stored; may be empty
Result<std::vector<MeasuredSpan>> walk_backwards(const MergedTrace& trace, AnalysisSet set, Summary& summary,
                                                 WaitSink* waits, const std::function<Status()>& before_finish,
                                                 AnalysisProgress& progress);

/// Those that look at them forwards, as often as one of them wants. The file has the waits.
Status walk_forwards(const MergedTrace& trace, AnalysisSet set, const std::vector<MeasuredSpan>& spans,
                     Summary& summary, AnalysisProgress& progress);

}  // namespace meridian
