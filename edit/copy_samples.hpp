// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "edit/stored_trace.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// From when until when the events that an edit keeps are, for each rank. An edit that keeps the first or the last event keeps what is before or
/// after it as well.
class KeptTimes {
 public:
  explicit KeptTimes(const MergedDefinitions& definitions) : definitions_{&definitions} {}

  /// An event that the edit keeps, or one that it drops.
  void add(const EditedEvent& event, bool is_kept) {
    Spans& spans = spans_[definitions_->locations[event.location].rank];
    spans.all.add(event);
    if (is_kept) spans.kept.add(event);
  }
  bool has(std::int32_t rank, std::int64_t time_ns) const { return has(rank, time_ns, time_ns); }
  /// Any time from `begin_ns` to `end_ns`.
  bool has(std::int32_t rank, std::int64_t begin_ns, std::int64_t end_ns) const {
    const auto found = spans_.find(rank);
    if (found == spans_.end()) return false;
    const auto& [all, kept] = found->second;
    const bool has_any = kept.begin_ns <= kept.end_ns;
    return has_any && (end_ns >= kept.begin_ns || kept.begin_ns == all.begin_ns) &&
           (begin_ns <= kept.end_ns || kept.end_ns == all.end_ns);
  }
  /// From the first time to the last one that any rank has.
  std::pair<std::int64_t, std::int64_t> of_any_rank() const {
    constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    std::pair<std::int64_t, std::int64_t> times{kLast, kFirst};
    for (const auto& [rank, spans] : spans_) {
      const auto& [all, kept] = spans;
      if (kept.begin_ns > kept.end_ns) continue;
      times.first = kept.begin_ns == all.begin_ns ? kFirst : std::min(times.first, kept.begin_ns);
      times.second = kept.end_ns == all.end_ns ? kLast : std::max(times.second, kept.end_ns);
    }
    return times;
  }

 private:
  struct Span {
    std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();

    void add(const EditedEvent& event) {
      begin_ns = std::min(begin_ns, event.enter_ns);
      end_ns = std::max(end_ns, event.leave_ns());
    }
  };
  struct Spans {
    Span all, kept;
  };
  const MergedDefinitions* definitions_;
  std::map<std::int32_t, Spans> spans_;
};

/// Copies the samples that belong to a rank's remaining events to an HDF5 file (hid_t), with all names.
Status copy_samples(const StoredTrace& trace, const KeptTimes& kept, std::int64_t file);
/// The same with the intervals without a processor that belong to them at least in part.
Status copy_processor(const StoredTrace& trace, const KeptTimes& kept, std::int64_t file);
/// The same with the memory of the ranks at these times.
Status copy_memory(const StoredTrace& trace, const KeptTimes& kept, std::int64_t file);
/// The same with the energy of the hosts at the times of any rank.
Status copy_energy(const StoredTrace& trace, const KeptTimes& kept, std::int64_t file);

}  // namespace meridian
