// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "import/otf2/definitions.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::imported {

/// The metric whose values an archive has at each enter and leave, such as Score-P's hardware counters: sums that only grow.
/// They become the counters of calls.
struct CounterMetric {
  std::optional<OTF2_MetricRef> metric;  ///< nothing: the archive has none
  std::vector<std::string> names;

  static CounterMetric of(const Definitions& definitions);
  /// The number of counters, their names and units.
  void describe(RankMeta& meta) const;
};

/// The readings of one location.
class CounterReadings {
 public:
  using Values = std::vector<std::int64_t>;

  explicit CounterReadings(const CounterMetric& metric) : metric_{metric} {}

  bool takes(OTF2_MetricRef metric) const { return metric_.metric == metric; }
  void read(std::span<const OTF2_Type> types, std::span<const OTF2_MetricValue> values);
  /// The last reading; empty: none yet.
  const Values& now() const { return now_; }
  /// Gives the last event of the batch what was counted since `enter`, its reading, and between it and the event before.
  void add(EventBatch& batch, const Values& enter);

 private:
  const CounterMetric& metric_;
  Values now_;
  Values previous_;  // at the leave of the event before; empty: there was none
};

}  // namespace meridian::imported
