// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/ready_times.hpp"

#include <algorithm>
#include <utility>

#include "merged/processor_reader.hpp"

namespace meridian {

Result<ReadyTimes> ReadyTimes::read(const MergedTrace& trace, std::size_t most, Kind kind) {
  MERIDIAN_TRY(const ProcessorReader reader, trace.processor());
  ReadyTimes times;
  times.locations_.resize(trace.definitions().locations.size());
  std::vector<MergedInterval> rows;
  for (ProcessorCursor cursor{reader, {}};;) {
    MERIDIAN_TRY(const bool has_more, cursor.next(rows));
    if (!has_more) return times;
    for (const MergedInterval& row : rows)
      if (row.is_ready == (kind == Kind::ready)) times.add(row);
    while (times.count_ > most) {
      times.count_ = 0;
      for (auto& kinds : times.locations_)
        for (Intervals& intervals : kinds) {
          halve(intervals);
          times.count_ += intervals.size();
        }
      most = std::max(most, times.locations_.size() * 2);  // one for each is as few as there can be
    }
  }
}

Result<AwayTimes> AwayTimes::read(const MergedTrace& trace) {
  MERIDIAN_TRY(ReadyTimes ready, ReadyTimes::read(trace));
  MERIDIAN_TRY(ReadyTimes slept, ReadyTimes::read(trace, ReadyTimes::kMost, ReadyTimes::Kind::slept));
  return AwayTimes{std::move(ready), std::move(slept)};
}

void ReadyTimes::add(const MergedInterval& row) {
  Intervals& intervals = locations_[static_cast<std::size_t>(row.location)][row.count > 1 ? 1 : 0];
  const bool is_first = intervals.empty();
  const std::int64_t begin_ns = is_first ? row.begin_ns() : std::max(row.begin_ns(), intervals.back().end_ns);
  const std::int64_t away_ns = std::min(row.away_ns(), row.end_ns - begin_ns);
  if (away_ns <= 0) return;
  intervals.push_back({begin_ns, row.end_ns, (is_first ? 0 : intervals.back().so_far_ns) + away_ns});
  ++count_;
}

void ReadyTimes::halve(Intervals& intervals) {
  for (std::size_t i = 0; i < intervals.size(); i += 2) {
    const Interval& last = intervals[std::min(i + 1, intervals.size() - 1)];
    intervals[i / 2] = {intervals[i].begin_ns, last.end_ns, last.so_far_ns};
  }
  intervals.resize((intervals.size() + 1) / 2);
}

std::int64_t ReadyTimes::until(const Intervals& intervals, std::int64_t t) {
  const auto next = std::ranges::upper_bound(intervals, t, {}, &Interval::end_ns);  // ends behind t
  const std::int64_t before_ns = next == intervals.begin() ? 0 : std::prev(next)->so_far_ns;
  if (next == intervals.end() || t <= next->begin_ns) return before_ns;
  const double part = static_cast<double>(t - next->begin_ns) / static_cast<double>(next->end_ns - next->begin_ns);
  return before_ns + static_cast<std::int64_t>(static_cast<double>(next->so_far_ns - before_ns) * part);
}

std::int64_t ReadyTimes::between(std::uint32_t location, std::int64_t begin_ns, std::int64_t end_ns) const {
  if (count_ == 0 || begin_ns >= end_ns) return 0;
  std::int64_t ready_ns = 0;
  for (const Intervals& intervals : locations_[location])
    if (!intervals.empty()) ready_ns += until(intervals, end_ns) - until(intervals, begin_ns);
  return std::clamp<std::int64_t>(ready_ns, 0, end_ns - begin_ns);
}

void ReadyTimes::cut(std::span<const Intervals> kinds, std::int64_t begin_ns, std::int64_t end_ns, const Piece& piece) {
  if (begin_ns >= end_ns) return;
  if (kinds.empty()) return piece(begin_ns, end_ns, false);
  const Intervals& intervals = kinds.front();
  auto at = std::ranges::upper_bound(intervals, begin_ns, {}, &Interval::end_ns);
  for (; at != intervals.end() && at->begin_ns < end_ns; ++at) {
    cut(kinds.subspan(1), begin_ns, at->begin_ns, piece);
    begin_ns = std::max(begin_ns, at->begin_ns);
    const std::int64_t until_ns = std::min(at->end_ns, end_ns);
    const std::int64_t ready_ns = until(intervals, until_ns) - until(intervals, begin_ns);
    if (ready_ns > 0) piece(begin_ns, begin_ns + ready_ns, true);
    cut(kinds.subspan(1), begin_ns + std::max<std::int64_t>(ready_ns, 0), until_ns, piece);
    begin_ns = until_ns;
  }
  cut(kinds.subspan(1), begin_ns, end_ns, piece);
}

void ReadyTimes::cut(std::uint32_t location, std::int64_t begin_ns, std::int64_t end_ns, const Piece& piece) const {
  cut(count_ == 0 ? std::span<const Intervals>{} : locations_[location], begin_ns, end_ns, piece);
}

}  // namespace meridian
