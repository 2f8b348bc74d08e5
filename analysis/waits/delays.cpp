// SPDX-License-Identifier: Apache-2.0
// Root causes of waits: what the late rank spent more time on than the waiting one, since both were last at one instant.
// The costs are those of D. Boehme et al., "Identifying the root causes of wait states in large-scale parallel
// applications", ACM Transactions on Parallel Computing 3, 2016. docs/WAITS.md has the definitions.
//
// The causes of a wait are known when it ends: those of the waits before it are then known already. So one pass forward
// gives what the paper computes backward, and needs to keep the latest intervals of each location only.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/functions/late_functions.hpp"
#include "analysis/waits/activity_times.hpp"
#include "analysis/walk/call_places.hpp"
#include "analysis/walk/location_states.hpp"
#include "analysis/walk/number_table.hpp"
#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/recent_numbers.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/model/event_waits.hpp"
#include "merged/model/open_regions.hpp"
#include "trace/model/event.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNoFunction = UINT32_MAX;
constexpr std::size_t kMostActivities = 1 << 16;
constexpr std::size_t kMostCauses = 1 << 18;

/// An activity of a location: a call, the computation after one, or, in any of these, being ready without a processor.
struct Activity {
  std::uint32_t call = kNoFunction;  // kNoFunction: before the first call
  std::uint32_t place = 0;
  std::uint32_t region = kNoFunction;  // the innermost one, a user event
  bool is_call = false;
  bool is_ready = false;
  bool operator==(const Activity&) const = default;
};
struct ActivityHash {
  std::size_t operator()(const Activity& activity) const noexcept {
    const std::uint64_t value = (std::uint64_t{activity.call} << 33 | std::uint64_t{activity.place} << 1 |
                                 static_cast<std::uint64_t>(activity.is_call)) ^
                                std::uint64_t{activity.region} * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(value * 0xff51afd7ed558ccdULL >> 17);
  }
};

/// An activity of a location that made others wait.
struct Cause {
  std::uint32_t location = 0;
  std::uint32_t activity = 0;
  std::uint64_t waits = 0;
  std::int64_t short_ns = 0, long_ns = 0;
  std::int64_t thread_ns = 0;  // of both: waits for threads of the same rank
};

/// A wait that has not ended.
struct OpenWait {
  std::int64_t end_ns = 0;
  std::uint64_t row = 0;
  std::uint64_t causer = 0;  // row
  std::int64_t ns = 0;
  std::uint32_t location = 0, causer_location = 0;
  std::uint32_t call = 0, place = 0;
  WaitKind kind{};
  friend bool operator>(const OpenWait& a, const OpenWait& b) {
    return std::pair{a.end_ns, a.row} > std::pair{b.end_ns, b.row};
  }
};

struct Location {
  ActivityTimes times;
  bool is_begun = false;
  std::int64_t counted_ns = 0;  // up to here its time is in `times`
  std::int64_t leave_ns = 0;    // of the current call, or of the last one
  Activity call, after;         // the current or last call, and the computation that follows it
  OpenRegions<> regions;
  std::uint32_t waits = 0;  // that have not ended
};

class DelayFinder final : public TraceVisitor {
 public:
  /// functions  null: the trace has no samples
  DelayFinder(const MergedTrace& trace, ReadyTimes ready, std::unique_ptr<LateFunctions> functions)
      : trace_{trace},
        ready_{std::move(ready)},
        functions_{std::move(functions)},
        places_{trace.definitions()},
        traits_{call_traits(trace.definitions())} {
    const auto& locations = trace.definitions().locations;
    locations_.resize(locations.size());
    // Processes begin with the trace, further threads with their first call.
    for (std::size_t i = 0; i < locations.size(); ++i) locations_[i].is_begun = locations[i].thread == 0;
  }

  Status look_at(std::span<const WalkedEvent> events) override {
    for (const WalkedEvent& walked : events) {
      if (functions_) MERIDIAN_TRY_DO(functions_->look_at(walked));
      end_waits(walked.event.enter_ns);
      take(walked);
    }
    return {};
  }
  Status finish(Summary& summary) override {
    end_waits(INT64_MAX);
    summary.delays = rows();
    summary.late_functions.clear();
    return functions_ ? functions_->fill(places_, summary) : Status{};
  }

 private:
  std::vector<DelaySummary> rows() const {
    const MergedDefinitions& definitions = trace_.definitions();
    std::vector<DelaySummary> list;
    for (const Cause& cause : causes_) {
      if (cause.short_ns == 0 && cause.long_ns == 0) continue;
      const Activity& activity = activities_[cause.activity];
      const MergedLocation& location = definitions.locations[cause.location];
      list.push_back({location.rank, location.thread,
                      activity.is_ready  ? "ready"
                      : activity.is_call ? "call"
                                         : "compute",
                      std::string{definitions.call_name(activity.region)},
                      std::string{definitions.call_name(activity.call)}, std::string{places_.name(activity.place)},
                      cause.waits, seconds(cause.short_ns), seconds(cause.long_ns), seconds(cause.thread_ns)});
    }
    std::ranges::stable_sort(list, [](const DelaySummary& a, const DelaySummary& b) {
      return a.short_term_s + a.long_term_s > b.short_term_s + b.long_term_s;
    });
    return list;
  }

  void take(const WalkedEvent& walked) {
    const MergedEvent& event = walked.event;
    Location& here = locations_[event.location];
    if (!std::exchange(here.is_begun, true)) here.counted_ns = event.enter_ns;
    count_until(event.location, event.enter_ns);
    if ((event.flags & kFlagEnds) != 0) here.regions.end(event.call);
    if ((event.flags & kFlagBegins) != 0) here.regions.begin(event.call);
    here.call = {event.call, places_.of_site(event.site),
                 here.regions.empty() ? kNoFunction : here.regions.innermost().call, true};
    here.after = here.call;
    here.after.is_call = false;
    here.leave_ns = event.enter_ns + event.inside_ns();
    std::int64_t since_ns = event.enter_ns;
    for (std::size_t i = 0; i < walked.found.size(); ++i) {
      const EventWait& wait = walked.found[i];
      const std::int64_t end_ns = (follows_last_wait(wait.kind) ? since_ns : event.enter_ns) + wait.ns;
      if (follows_last_wait(wait.kind)) since_ns = end_ns;
      open_.push({end_ns, event.row, wait.causer, wait.ns, event.location, walked.causers[i].location, event.call,
                  here.call.place, wait.kind});
      ++here.waits;
    }
  }

  void count_until(std::uint32_t location, std::int64_t time_ns) {
    Location& at = locations_[location];
    if (!at.is_begun || at.waits != 0 || time_ns <= at.counted_ns) return;
    if (at.counted_ns < at.leave_ns) {
      const std::int64_t until = std::min(time_ns, at.leave_ns);
      count(location, at.call, until);
    }
    if (at.counted_ns < time_ns) count(location, at.after, time_ns);
  }
  void count(std::uint32_t location, const Activity& activity, std::int64_t until_ns) {
    Location& at = locations_[location];
    const std::int64_t ready_ns = loses_nothing(activity) ? 0 : ready_.between(location, at.counted_ns, until_ns);
    at.times.add_activity(number_of(activity), until_ns - at.counted_ns - ready_ns);
    if (ready_ns != 0) at.times.add_activity(number_of({.is_ready = true}), ready_ns);
    at.counted_ns = until_ns;
  }

  /// A thread that sleeps needs no processor. Sums of short intervals are spread over such calls, too.
  bool loses_nothing(const Activity& activity) const {
    if (!activity.is_call || activity.call >= traits_.size()) return false;
    const LocationState state = traits_[activity.call].state;
    return state == LocationState::sleep || state == LocationState::sync_wait;
  }

  /// Those that end until then. If one ends another one's causer, both at one instant, that one comes first.
  void end_waits(std::int64_t until_ns) {
    while (!open_.empty() && open_.top().end_ns <= until_ns) {
      const std::int64_t end_ns = open_.top().end_ns;
      ending_.clear();
      for (; !open_.empty() && open_.top().end_ns == end_ns; open_.pop()) ending_.push_back(open_.top());
      while (!ending_.empty()) {
        const auto is_ready = [&](const OpenWait& wait) {
          return std::ranges::none_of(ending_, [&](const OpenWait& other) {
            return other.location == wait.causer_location && other.row != wait.row;
          });
        };
        auto next = ending_.size() == 1 ? ending_.begin() : std::ranges::find_if(ending_, is_ready);
        if (next == ending_.end()) next = ending_.begin();
        end(*next);
        ending_.erase(next);
      }
    }
  }

  void end(const OpenWait& wait) {
    Location& here = locations_[wait.location];
    Location& causer = locations_[wait.causer_location];
    count_until(wait.causer_location, wait.end_ns);
    const ActivityTimes::Instant instant{wait.causer, wait.end_ns};
    shares_.clear();
    std::int64_t direct = 0, all = 0;  // time that the causer spent beyond that of the waiting location
    if (wait.location != wait.causer_location) {
      activity_sums_.clear();
      cause_sums_.clear();
      const auto since = ActivityTimes::last_common(here.times, causer.times);
      causer.times.sum_since(since, 1, activity_sums_, cause_sums_);
      here.times.sum_since(since, -1, activity_sums_, cause_sums_);
      add_delays(wait.causer_location);
      if (functions_)
        functions_->add({wait.kind, wait.call, wait.place, wait.ns, wait.end_ns,
                         since ? std::optional{since->time_ns} : std::nullopt, wait.causer, wait.location,
                         wait.causer_location});
      for (const Amount& share : shares_) direct += share.ns;
      all = direct;
      direct_shares_ = shares_.size();
      cause_sums_.sort_into(sorted_);
      for (const Amount& more : sorted_)
        if (more.ns > 0) {
          shares_.push_back(more);
          all += more.ns;
        }
    }
    if (all == 0) {
      const bool is_in_call = wait.end_ns <= causer.leave_ns;
      shares_.assign(1, {cause_number(wait.causer_location, number_of(is_in_call ? causer.call : causer.after)), 1});
      direct_shares_ = all = 1;
    }
    charge(wait, here, all);
    if (--here.waits == 0) here.counted_ns = std::max(here.counted_ns, wait.end_ns);
    here.times.begin_interval(instant);
    causer.times.begin_interval(instant);
  }

  /// Computation in one region is compared as a whole, because the calls that divide it may be others: the excess goes to
  /// the pieces of it that are longer.
  void add_delays(std::uint32_t causer) {
    activity_sums_.sort_into(sorted_);
    excess_.resize(activities_.size());
    for (const Amount& more : sorted_) excess_[group_of_[more.key]] = {};
    for (const Amount& more : sorted_) {
      Excess& excess = excess_[group_of_[more.key]];
      excess.all_ns += more.ns;
      if (more.ns > 0) excess.longer_ns += more.ns;
    }
    for (const Amount& more : sorted_) {
      if (more.ns <= 0) continue;
      const Excess& excess = excess_[group_of_[more.key]];
      if (excess.all_ns <= 0) continue;
      const std::int64_t ns = scaled(excess.all_ns, more.ns, excess.longer_ns);
      if (ns != 0) shares_.push_back({cause_number(causer, more.key), ns});
    }
  }

  /// Divides the wait by the shares. Rounding keeps the sum: each share ends where the next one begins.
  void charge(const OpenWait& wait, Location& here, std::int64_t all) {
    std::int64_t so_far = 0, charged_ns = 0;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      so_far += shares_[i].ns;
      const std::int64_t until_ns = scaled(wait.ns, so_far, all);
      const std::int64_t ns = until_ns - std::exchange(charged_ns, until_ns);
      Cause& cause = causes_[shares_[i].key];
      if (is_of_threads(wait.kind)) cause.thread_ns += ns;
      if (i < direct_shares_) {
        ++cause.waits;
        cause.short_ns += ns;
      } else {
        cause.long_ns += ns;
      }
      if (ns != 0) here.times.add_cause(shares_[i].key, ns);
    }
  }

  /// amount * part / whole, of numbers that are not negative.
  static std::int64_t scaled(std::int64_t amount, std::int64_t part, std::int64_t whole) {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(static_cast<Wide>(amount) * part / whole);
  }

  /// Beyond a bound, activities are one: a call that is not known.
  std::uint32_t number_of(const Activity& activity) {
    std::uint32_t& recent = recent_.of(activity);
    if (recent == kUnknownNumber) recent = found_number(activity);
    return recent;
  }
  std::uint32_t found_number(const Activity& activity) {
    const auto found = activity_numbers_.find(activity);
    if (found != activity_numbers_.end()) return found->second;
    Activity kept = activity;
    if (activities_.size() >= kMostActivities) kept = Activity{.is_call = true};
    const auto [at, is_new] = activity_numbers_.try_emplace(kept, static_cast<std::uint32_t>(activities_.size()));
    if (is_new) {
      activities_.push_back(kept);
      group_of_.push_back(at->second);
      if (!kept.is_call && !kept.is_ready && (kept.call != kNoFunction || kept.place != 0)) {
        const std::uint32_t number = at->second;
        const std::uint32_t group = found_number({.region = kept.region});
        group_of_[number] = group;
        return number;
      }
    }
    return at->second;
  }
  std::uint32_t cause_number(std::uint32_t location, std::uint32_t activity) {
    const std::uint64_t key = std::uint64_t{location} << 32 | activity;
    if (const std::uint32_t* const known = cause_numbers_.find(key); known != nullptr) return *known;
    if (causes_.size() >= kMostCauses) activity = number_of(Activity{.is_call = true});
    const std::uint64_t kept = std::uint64_t{location} << 32 | activity;
    if (const std::uint32_t* const known = cause_numbers_.find(kept); known != nullptr) return *known;
    const auto number = static_cast<std::uint32_t>(causes_.size());
    cause_numbers_[kept] = number;
    causes_.push_back({location, activity});
    return number;
  }

  const MergedTrace& trace_;
  ReadyTimes ready_;
  std::unique_ptr<LateFunctions> functions_;
  CallPlaces places_;
  std::vector<CallTraits> traits_;  // [call]
  std::vector<Location> locations_;
  std::priority_queue<OpenWait, std::vector<OpenWait>, std::greater<>> open_;  // at most those of a call per location
  RecentNumbers<Activity, ActivityHash> recent_;
  std::unordered_map<Activity, std::uint32_t, ActivityHash> activity_numbers_;
  std::vector<Activity> activities_;
  std::vector<std::uint32_t>
      group_of_;  // [activity]: what it is compared with: itself, or all computation of the region
  NumberTable<std::uint32_t> cause_numbers_;
  std::vector<Cause> causes_;
  // Buffers of end(): members, so that their memory is used again.
  std::vector<OpenWait> ending_;
  Amounts activity_sums_, cause_sums_;
  struct Excess {
    std::int64_t all_ns = 0;     // of the causer over the waiting location
    std::int64_t longer_ns = 0;  // in those pieces of which it has more
  };
  std::vector<Excess> excess_;  // [group]; only those of the last wait are right
  std::vector<Amount> sorted_;
  std::vector<Amount> shares_;  // the first ones are delays, the others causes of waits of the causer
  std::size_t direct_shares_ = 0;
};

}  // namespace

Result<std::unique_ptr<TraceVisitor>> find_delays(const AnalysisInput& input) {
  MERIDIAN_TRY(ReadyTimes ready, ReadyTimes::read(input.trace));
  MERIDIAN_TRY(SampleReader reader, input.trace.samples());
  auto functions = reader.size() == 0 ? nullptr : std::make_unique<LateFunctions>(input, std::move(reader));
  return std::unique_ptr<TraceVisitor>{
      std::make_unique<DelayFinder>(input.trace, std::move(ready), std::move(functions))};
}

}  // namespace meridian
