// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/switch_pairs.hpp"

#include <algorithm>
#include <utility>

namespace meridian {

void SwitchPairs::add(Switch what, std::uint64_t time_ns, std::uint64_t ticks, std::vector<ProcessorRow>& rows) {
  if (what != Switch::on) {
    off_ = Off{time_ns, ticks, what == Switch::off_ready};
    return;
  }
  const std::optional<Off> off = std::exchange(off_, std::nullopt);
  if (!off || time_ns < off->ns) return;
  ticks = std::max(ticks, off->ticks);
  if (time_ns - off->ns < kShortNs)
    add_short(*off, ticks, rows);
  else
    rows.push_back({ticks, ticks - off->ticks, 0, thread_, 1, off->is_ready});
}

void SwitchPairs::add_short(const Off& off, std::uint64_t ticks, std::vector<ProcessorRow>& rows) {
  Sum& sum = sums_[off.is_ready ? 1 : 0];
  if (sum.count != 0 && off.ns - sum.begin_ns > kSumNs) flush(off.is_ready, rows);
  if (sum.count == 0) sum = {off.ns, off.ticks, 0, 0, 0};
  sum.end_ticks = ticks;
  sum.ticks += ticks - off.ticks;
  ++sum.count;
}

void SwitchPairs::flush(bool is_ready, std::vector<ProcessorRow>& rows) {
  Sum& sum = sums_[is_ready ? 1 : 0];
  if (sum.count == 0) return;
  const std::uint64_t length = sum.end_ticks - sum.begin_ticks;
  rows.push_back({sum.end_ticks, length, length - std::min(length, sum.ticks), thread_, sum.count, is_ready});
  sum = {};
}

void SwitchPairs::flush(std::vector<ProcessorRow>& rows) {
  flush(false, rows);
  flush(true, rows);
}

}  // namespace meridian
