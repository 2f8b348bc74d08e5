// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/steps/place_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "merger/clocks/steps/step_evidence.hpp"
#include "merger/load/thread_cursor.hpp"
#include "merger/match/match.hpp"
#include "merger/model/clock_tuning.hpp"
#include "merger/model/findings.hpp"

namespace meridian {
namespace {

/// A moment at which a call begins (1) or ends (-1); 0: a stamp whose side of the step is known.
struct CallEnd {
  double ns = 0;
  int change = 0;
};

/// The ends of calls between two stamps.
class CallEnds {
 public:
  CallEnds(double first_ns, double last_ns)
      : first_ns_{first_ns}, last_ns_{last_ns}, ends_{{first_ns, 0}, {last_ns, 0}} {}

  void add(double enter_ns, double leave_ns) {
    if (leave_ns <= first_ns_ || enter_ns >= last_ns_ || ends_.size() > ClockTuning::kMostCallEnds) return;
    ends_.push_back({std::max(enter_ns, first_ns_), 1});
    ends_.push_back({std::min(leave_ns, last_ns_), -1});
  }

  /// The pause within which the clock was set: one of at least `least_ns`, if there is any, in as few calls as possible.
  std::pair<double, double> find_pause(double least_ns) {
    std::ranges::sort(ends_, {}, &CallEnd::ns);
    std::pair<double, double> best{first_ns_, last_ns_};
    bool is_best_long = false;
    int open = 0, fewest = -1;
    for (std::size_t i = 0; i + 1 < ends_.size(); ++i) {
      open += ends_[i].change;
      const double length = ends_[i + 1].ns - ends_[i].ns, longest = best.second - best.first;
      if (length <= 0) continue;
      const bool is_long = length >= least_ns;
      const bool is_better = fewest < 0                ? true
                             : is_long != is_best_long ? is_long
                             : !is_long                ? length > longest
                                                       : std::pair{-open, length} > std::pair{-fewest, longest};
      if (!is_better) continue;
      best = {ends_[i].ns, ends_[i + 1].ns};
      is_best_long = is_long;
      fewest = open;
    }
    return best;
  }

 private:
  double first_ns_, last_ns_;
  std::vector<CallEnd> ends_;
};

/// Reads all ranks of a domain.
void add_calls(Trace& trace, std::uint32_t domain, CallEnds& ends) {
  Findings seen_before;
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    if (trace.clocks.domain_of[i] != domain) continue;
    const ClockMap& line = trace.clocks.maps[i];
    for (auto& [thread, segments] : segments_by_thread(trace.files[i]->meta())) {
      ThreadCursor cursor{*trace.files[i], thread, std::move(segments), seen_before};
      for (; !cursor.is_over(); cursor.advance())
        ends.add(static_cast<double>(line.to_global(cursor.call().enter_ticks)),
                 static_cast<double>(line.to_global(cursor.call().leave_ticks)));
    }
  }
}

void place(Trace& trace, const SoughtStep& sought, ClockStep& step) {
  if (std::isinf(sought.until_ns) && std::isinf(sought.from_ns)) return;
  if (sought.until_ns < sought.from_ns && std::isfinite(sought.until_ns) && std::isfinite(sought.from_ns)) {
    CallEnds ends{sought.until_ns, sought.from_ns};
    add_calls(trace, sought.domain, ends);
    const double doubt = std::min(ClockTuning::kSurely * std::abs(step.size_ns), ClockTuning::kPlaceDoubtNs);
    std::tie(step.until_ns, step.from_ns) = ends.find_pause(std::max(0.0, step.size_ns - doubt));
  } else if (step.size_ns < 0 && std::isfinite(sought.until_ns)) {
    step.until_ns = sought.until_ns;
    step.from_ns = sought.until_ns + 1;
  } else {
    return;
  }
  step.is_placed = true;
  step.at_ns = step.from_ns;
}

}  // namespace

Status place_steps(Trace& trace, ClockCorrection& correction, const CallCounter& counter) {
  std::vector<std::uint32_t> index_of_rank;
  for (std::uint32_t i = 0; i < trace.files.size(); ++i) {
    const std::int32_t rank = trace.files[i]->meta().rank;
    if (rank < 0) continue;
    index_of_rank.resize(std::max<std::size_t>(index_of_rank.size(), static_cast<std::size_t>(rank) + 1), kMissingRank);
    index_of_rank[static_cast<std::size_t>(rank)] = i;
  }
  StepEvidence evidence{trace.clocks, correction, std::move(index_of_rank)};
  const MatchSinks sinks{{},
                         [&](std::span<const MatchedMessage> rows) {
                           evidence.add(rows);
                           return Status{};
                         },
                         [&](std::span<const CollectivePart> rows) {
                           evidence.add(rows);
                           return Status{};
                         },
                         {}};
  Findings seen_later;  // not kept: the pass that stores the messages reports them
  auto matched = match(trace, MatchUntil::end, sinks, seen_later, counter);
  if (!matched) return std::move(matched).error();
  evidence.finish();
  for (const SoughtStep& sought : evidence.steps())
    place(trace, sought, correction.steps[sought.domain][sought.number]);
  return {};
}

}  // namespace meridian
