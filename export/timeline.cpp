// SPDX-License-Identifier: Apache-2.0
#include "export/timeline.hpp"

#include <algorithm>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::string_view kUserGroup = "user";
constexpr std::string_view kCounterKind = kUserKindNames[static_cast<std::size_t>(UserKind::counter)];

struct OpenItem {
  TimelineKind kind{};
  MergedEvent event;
  std::vector<EventLink> links;
  std::vector<NamedValue> values;
  bool is_counter = false;
  std::uint64_t serial = 0;

  TimelineItem item() const { return {kind, event, links, values, is_counter}; }
};

/// When a call leaves.
struct Ending {
  std::int64_t time_ns = 0;
  std::uint64_t serial = 0;
  std::uint32_t location = 0;
};
/// For a queue whose top is the earliest one, and of those at one time the last that began.
struct IsLater {
  bool operator()(const Ending& a, const Ending& b) const {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.serial < b.serial;
  }
};

class TimelineWalk {
 public:
  TimelineWalk(ExportSource& source, TimelineVisitor& visitor)
      : source_{source}, visitor_{visitor}, values_{source.trace}, open_(source.trace.definitions().locations.size()) {
    for (const MergedCall& call : source.trace.definitions().calls) is_user_.push_back(call.group == kUserGroup);
  }

  Status run() {
    MERIDIAN_TRY(EventCursor cursor, source_.trace.select());
    MergedBatch batch;
    for (;;) {
      MERIDIAN_TRY(const bool has_more, cursor.next(batch));
      if (!has_more) break;
      for (const MergedEvent& event : batch.events) {
        if (!source_.keeps(event.row)) continue;
        MERIDIAN_TRY_DO(leave_until(event.enter_ns));
        MERIDIAN_TRY_DO(add(event, batch.links_of(event)));
      }
      source_.report("events", batch.events.back().row + 1, source_.trace.events());
    }
    MERIDIAN_TRY_DO(leave_until(INT64_MAX));
    source_.left_out.add("calls and user events whose hardware counters are not exported", with_counters_);
    for (std::size_t location = 0; location < open_.size(); ++location) {
      source_.left_out.add("ends of regions that had not ended: they end with the trace", open_[location].size());
      while (!open_[location].empty()) MERIDIAN_TRY_DO(leave_top(open_[location], latest_ns_));
    }
    return {};
  }

 private:
  Status add(const MergedEvent& event, std::span<const EventLink> links) {
    const bool is_user = event.call < is_user_.size() && is_user_[event.call];
    with_counters_ += (event.flags & kFlagCounters) != 0 ? 1U : 0U;
    if (is_user && (event.flags & kFlagEnds) != 0) return end_region(event);
    const bool is_region = is_user && (event.flags & kFlagBegins) != 0;
    std::vector<OpenItem>& open = open_[event.location];
    const std::uint64_t serial = next_serial_++;
    std::int64_t leave_ns = std::max(event.enter_ns, event.leave_ns());
    if (!is_region) {
      // Calls of a thread follow one another. A damaged trace may have others, which are cut to nest.
      if (!open.empty() && open.back().kind != TimelineKind::region && open.back().event.leave_ns() < leave_ns) {
        leave_ns = std::max(event.enter_ns, open.back().event.leave_ns());
        source_.left_out.add("ends of calls behind the end of the call around them: cut there");
      }
      endings_.push({leave_ns, serial, event.location});
    }
    const bool is_moment = is_user && leave_ns == event.enter_ns;  // the repair of times may have extended it
    const TimelineKind kind = is_region ? TimelineKind::region : is_moment ? TimelineKind::moment : TimelineKind::call;
    MERIDIAN_TRY(std::vector<EventLink> shown, shown_of(links));
    MERIDIAN_TRY(const std::span<const NamedValue> values, values_.of(event));
    const MergedUserEvent* const user = values.empty() ? nullptr : source_.trace.definitions().find_user(event.call);
    const bool is_counter = kind == TimelineKind::moment && user != nullptr && user->kind == kCounterKind &&
                            std::holds_alternative<double>(values.front().value);
    open.push_back({kind, event, std::move(shown), {values.begin(), values.end()}, is_counter, serial});
    open.back().event.duration_ns = leave_ns - event.enter_ns;
    latest_ns_ = std::max(latest_ns_, event.enter_ns);
    return visitor_.enter(open.back().item());
  }

  Result<std::vector<EventLink>> shown_of(std::span<const EventLink> links) const {
    if (source_.choice == nullptr) return std::vector<EventLink>{links.begin(), links.end()};
    std::vector<EventLink> shown;
    for (const EventLink& link : links) {
      const bool is_message = link.kind != LinkKind::entered && link.kind != LinkKind::left;
      if (is_message) {
        if (source_.shows_message(link.number)) shown.push_back(link);
      } else {
        MERIDIAN_TRY(const MergedPart part, source_.trace.part(link.number));
        if (source_.shows_instance(part.instance)) shown.push_back(link);
      }
    }
    return shown;
  }

  Status end_region(const MergedEvent& event) {
    std::vector<OpenItem>& open = open_[event.location];
    const auto found = std::ranges::find_if(open.rbegin(), open.rend(), [&](const OpenItem& item) {
      return item.kind == TimelineKind::region && item.event.call == event.call;
    });
    if (found == open.rend()) {
      source_.left_out.add("ends of regions without a beginning");
      return {};
    }
    const std::uint64_t serial = found->serial;
    while (open.back().serial != serial) {
      source_.left_out.add("ends of regions and calls inside a region that ended before: they end with it");
      MERIDIAN_TRY_DO(leave_top(open, event.enter_ns));
    }
    return leave_top(open, event.enter_ns);
  }

  Status leave_until(std::int64_t time_ns) {
    while (!endings_.empty() && endings_.top().time_ns <= time_ns) {
      const Ending ending = endings_.top();
      endings_.pop();
      std::vector<OpenItem>& open = open_[ending.location];
      const auto is_it = [&](const OpenItem& item) { return item.serial == ending.serial; };
      if (std::ranges::none_of(open, is_it)) continue;  // it ended with a region
      while (open.back().serial != ending.serial) {
        source_.left_out.add("ends of regions that began inside a call: they end with it");
        MERIDIAN_TRY_DO(leave_top(open, ending.time_ns));
      }
      MERIDIAN_TRY_DO(leave_top(open, ending.time_ns));
    }
    return {};
  }

  Status leave_top(std::vector<OpenItem>& open, std::int64_t time_ns) {
    const OpenItem item = std::move(open.back());
    open.pop_back();
    latest_ns_ = std::max(latest_ns_, time_ns);
    return visitor_.leave(item.item(), time_ns);
  }

  ExportSource& source_;
  TimelineVisitor& visitor_;
  UserValues values_;
  std::vector<bool> is_user_;                // [call]
  std::vector<std::vector<OpenItem>> open_;  // [location], innermost last
  std::priority_queue<Ending, std::vector<Ending>, IsLater> endings_;
  std::uint64_t next_serial_ = 0;
  std::uint64_t with_counters_ = 0;
  std::int64_t latest_ns_ = 0;
};

}  // namespace

Status walk_timeline(ExportSource& source, TimelineVisitor& visitor) { return TimelineWalk{source, visitor}.run(); }

}  // namespace meridian
