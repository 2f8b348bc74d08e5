// SPDX-License-Identifier: Apache-2.0
// Iterations of a program that has no marks, and how their lengths change: docs/PHASES.md.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/phases/call_periods.hpp"
#include "analysis/phases/iteration_changes.hpp"
#include "analysis/walk/call_places.hpp"
#include "analysis/walk/location_states.hpp"
#include "analysis/walk/measured_spans.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/model/open_regions.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kMostGroups = 1000;      // of iterations in a phase
constexpr std::uint64_t kLeastGroups = 20;       // however many ranks there are
constexpr std::uint64_t kMostCells = 4'000'000;  // of groups and ranks in all phases
constexpr std::size_t kNoRank = SIZE_MAX;

/// What an event is to iterations.
struct MarkerRole {
  bool is_mpi = false;     ///< its time is no computing
  bool may_begin = false;  ///< iterations
  MarkerKind kind{};
};

/// MPI calls, but not those that a program makes at any time, or until something has happened.
bool repeats(const NamedFacts& call) {
  return call.facts.poll == Poll::no && !starts_or_ends_mpi(call.facts.role) && call.id != CallId::Wtime &&
         call.id != CallId::Wtick;
}

std::vector<MarkerRole> marker_roles(const MergedDefinitions& definitions) {
  const std::vector<CallTraits> traits = call_traits(definitions);
  std::vector<MarkerRole> roles(traits.size());
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const MergedCall& call = definitions.calls[i];
    MarkerRole& role = roles[i];
    role.is_mpi = traits[i].state == LocationState::mpi_transfer || traits[i].state == LocationState::io;
    const NamedFacts known = facts_of(call.name);
    role.may_begin = traits[i].is_user || (role.is_mpi && repeats(known));
    role.kind = traits[i].is_user                ? MarkerKind::region
                : known.group == CallGroup::coll ? MarkerKind::collective
                                                 : MarkerKind::other;
  }
  return roles;
}

CallKey key_of(const MergedEvent& event, const MarkerRole& role) {
  if (role.kind == MarkerKind::region) return {.call = event.call};
  return {.call = event.call, .site = event.site, .path = event.path};
}

/// The iterations of one phase, on all ranks.
struct Phase {
  struct Iteration {
    std::uint64_t begun = 0;  // iterations
    bool is_open = false;
    std::int64_t begin_ns = 0;
    std::int64_t mpi_ns = 0;  // of the rank until then
    std::uint64_t calls = 0;
  };
  CallPeriod period;
  bool of_instances = false;             // from the begin of a region to its end, not to its next begin
  std::vector<std::size_t> member_of{};  // [rank]: its number in period.ranks; kNoRank: it has no such iterations
  std::uint64_t iterations = 0;          // of a rank
  std::uint64_t group_length = 1;
  std::vector<Iteration> now{};        // [rank]
  std::vector<std::int64_t> begins{};  // [group]
  IterationTimes times{};              // sums until finish()
  std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  double count = 0, calls = 0, mean_s = 0, squares = 0, compute_s = 0;
  double min_s = std::numeric_limits<double>::infinity(), max_s = 0;

  Phase(const CallPeriod& found, bool are_instances, std::size_t ranks, std::uint64_t most_groups)
      : period{found}, of_instances{are_instances} {
    iterations = found.kind == MarkerKind::region ? found.count : found.count - 1;
    group_length = (iterations + most_groups - 1) / most_groups;
    now.resize(ranks);
    member_of.assign(ranks, kNoRank);
    for (std::size_t member = 0; member < found.ranks.size(); ++member) member_of[found.ranks[member]] = member;
    times.ranks = found.ranks.size();
    for (std::uint64_t first = 0; first < iterations; first += group_length)
      times.lengths.push_back(std::min(group_length, iterations - first));
    begins.assign(times.groups(), INT64_MAX);
    times.duration_s.resize(times.groups() * times.ranks);
    times.compute_s.resize(times.groups() * times.ranks);
  }

  bool has(std::size_t rank, const CallKey& key) const {
    return member_of[rank] != kNoRank && period.key.includes(key);
  }

  void close(std::size_t rank, std::int64_t t, std::int64_t mpi_ns, std::uint64_t calls_until) {
    Iteration& iteration = now[rank];
    if (!iteration.is_open) return;
    iteration.is_open = false;
    const double duration_s = seconds(t - iteration.begin_ns);
    const double outside_s = seconds(t - iteration.begin_ns - (mpi_ns - iteration.mpi_ns));
    const auto group = static_cast<std::size_t>((iteration.begun - 1) / group_length);
    const std::size_t cell = group * times.ranks + member_of[rank];
    times.duration_s[cell] += duration_s;
    times.compute_s[cell] += outside_s;
    begins[group] = std::min(begins[group], iteration.begin_ns);
    begin_ns = std::min(begin_ns, iteration.begin_ns);
    end_ns = std::max(end_ns, t);
    ++count;
    const double distance = duration_s - mean_s;
    mean_s += distance / count;
    squares += distance * (duration_s - mean_s);
    min_s = std::min(min_s, duration_s);
    max_s = std::max(max_s, duration_s);
    compute_s += outside_s;
    calls += static_cast<double>(calls_until - iteration.calls);
  }

  void begin(std::size_t rank, std::int64_t t, std::int64_t mpi_ns, std::uint64_t calls_until) {
    Iteration& iteration = now[rank];
    if (iteration.begun == iterations) return;
    iteration = {iteration.begun + 1, true, t, mpi_ns, calls_until};
  }

  /// From sums to means.
  void finish() {
    for (std::size_t group = 0; group < times.groups(); ++group)
      for (std::size_t cell = group * times.ranks; cell < (group + 1) * times.ranks; ++cell) {
        times.duration_s[cell] /= static_cast<double>(times.lengths[group]);
        times.compute_s[cell] /= static_cast<double>(times.lengths[group]);
      }
  }
};

/// Finds phases in the first walk, and measures their iterations in another one.
class IterationFinder final : public TraceVisitor {
 public:
  IterationFinder(const MergedTrace& trace, std::vector<MeasuredSpan> spans)
      : definitions_{trace.definitions()}, roles_{marker_roles(definitions_)}, spans_{std::move(spans)} {
    std::erase_if(spans_, [](const MeasuredSpan& span) { return !span.has_events; });
    rank_of_.assign(definitions_.locations.size(), kNoRank);
    for (std::size_t i = 0; i < spans_.size(); ++i)
      if (spans_[i].main < rank_of_.size()) rank_of_[spans_[i].main] = i;
    periods_.emplace(spans_.size());
    progress_.resize(spans_.size());
  }

  Status look_at(std::span<const WalkedEvent> events) override {
    for (const WalkedEvent& walked : events) {
      const MergedEvent& event = walked.event;
      if (event.row == 0) start_ns_ = event.enter_ns;
      const std::size_t rank = event.location < rank_of_.size() ? rank_of_[event.location] : kNoRank;
      if (rank == kNoRank || event.call >= roles_.size() || (event.flags & kFlagUnfinished) != 0) continue;
      if (event.enter_ns < spans_[rank].begin_ns || event.enter_ns >= spans_[rank].end_ns) continue;
      if (periods_)
        look_for_periods(event, rank, roles_[event.call]);
      else
        measure(event, rank, roles_[event.call]);
    }
    return {};
  }

  Result<bool> wants_more() override {
    if (!periods_) return false;
    find_phases(*periods_);
    periods_.reset();
    return !phases_.empty();
  }

  Status finish(Summary& summary) override {
    summary.phases.clear();
    summary.iterations.clear();
    summary.iteration_findings.clear();
    for (Phase& phase : phases_) {
      if (phase.count != static_cast<double>(phase.iterations * phase.times.ranks))
        continue;  // a region without an end, or inside itself
      phase.finish();
      fill(phase, summary);
    }
    return {};
  }

 private:
  static bool begins_iteration(const MergedEvent& event, const MarkerRole& role) {
    return role.may_begin && (role.kind != MarkerKind::region || (event.flags & kFlagBegins) != 0);
  }

  void look_for_periods(const MergedEvent& event, std::size_t rank, const MarkerRole& role) {
    if (begins_iteration(event, role)) periods_->add(rank, key_of(event, role), role.kind, event.leave_ns());
  }

  void find_phases(const CallPeriods& periods) {
    if (spans_.empty()) return;
    std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
    for (const MeasuredSpan& span : spans_) {
      begin_ns = std::min(begin_ns, span.begin_ns);
      end_ns = std::max(end_ns, span.end_ns);
    }
    const std::vector<CallPeriod> found = periods.find(end_ns - begin_ns);
    const std::vector<CallPeriod> regions = periods.regions();
    const std::size_t count = found.size() + regions.size();
    const std::uint64_t most_groups =
        count == 0 ? 0 : std::clamp(kMostCells / (count * spans_.size()), kLeastGroups, kMostGroups);
    for (const CallPeriod& period : found) phases_.emplace_back(period, false, spans_.size(), most_groups);
    for (const CallPeriod& region : regions) phases_.emplace_back(region, true, spans_.size(), most_groups);
  }

  void measure(const MergedEvent& event, std::size_t rank, const MarkerRole& role) {
    Progress& progress = progress_[rank];
    progress.calls += event.calls;
    if (role.is_mpi) progress.mpi_ns += event.inside_ns();
    const bool is_region = role.kind == MarkerKind::region;
    if (is_region && (event.flags & kFlagEnds) != 0) return end_regions(event, rank);
    if (!begins_iteration(event, role)) return;
    const bool is_nested = is_region && progress.open.has(event.call);  // it is part of the outer one
    if (is_region) progress.open.begin(event.call);
    const CallKey key = key_of(event, role);
    for (Phase& phase : phases_) {
      if (!phase.has(rank, key) || (phase.of_instances && is_nested)) continue;
      if (phase.period.of_runs && progress.last == key) continue;
      if (!phase.of_instances) phase.close(rank, event.leave_ns(), progress.mpi_ns, progress.calls);
      phase.begin(rank, event.leave_ns(), progress.mpi_ns, progress.calls);
    }
    progress.last = key;
  }

  void end_regions(const MergedEvent& event, std::size_t rank) {
    Progress& progress = progress_[rank];
    progress.open.end(event.call, [&](const auto& region) {
      const CallKey key{.call = region.call};
      for (Phase& phase : phases_) {
        if (!phase.has(rank, key) || (phase.period.of_runs && progress.last == key)) continue;
        const bool is_end =
            phase.of_instances ? !progress.open.has(region.call) : phase.now[rank].begun == phase.iterations;
        if (is_end) phase.close(rank, event.leave_ns(), progress.mpi_ns, progress.calls);
      }
    });
  }

  void fill(const Phase& phase, Summary& summary) {
    const std::uint64_t number = summary.phases.size();
    const CallKey& key = phase.period.key;
    PhaseSummary& row = summary.phases.emplace_back();
    row.function = definitions_.call_name(key.call);
    row.unit = phase.of_instances ? "instance" : "iteration";
    if (key.site != CallKey::kAnyPlace) row.place = places().name(places().of_site(key.site));
    row.iterations = phase.iterations;
    row.begin_s = seconds(phase.begin_ns - start_ns_);
    row.end_s = seconds(phase.end_ns - start_ns_);
    row.calls = phase.calls / phase.count;
    row.mean_s = phase.mean_s;
    row.sd_s = std::sqrt(phase.squares / phase.count);
    row.min_s = phase.min_s;
    row.max_s = phase.max_s;
    row.compute_s = phase.compute_s / phase.count;
    const IterationTimes& times = phase.times;
    for (std::size_t group = 0; group < times.groups(); ++group) {
      IterationSummary& iteration = summary.iterations.emplace_back();
      iteration.phase = number;
      iteration.iteration = group * phase.group_length + 1;
      iteration.count = times.lengths[group];
      iteration.begin_s = seconds(phase.begins[group] - start_ns_);
      std::size_t slowest = 0;
      for (std::size_t rank = 0; rank < times.ranks; ++rank) {
        iteration.mean_s += times.duration(group, rank) / static_cast<double>(times.ranks);
        iteration.compute_s += times.compute(group, rank) / static_cast<double>(times.ranks);
        if (times.compute(group, rank) > times.compute(group, slowest)) slowest = rank;
      }
      iteration.slowest = spans_[phase.period.ranks[slowest]].rank;
      iteration.slowest_s = times.compute(group, slowest);
    }
    for (const IterationChange& change : find_changes(times)) {
      IterationFindingSummary& finding = summary.iteration_findings.emplace_back();
      finding.phase = number;
      finding.kind = kChangeNames[static_cast<std::size_t>(change.kind)];
      finding.iteration = change.group * phase.group_length + 1;
      finding.rank = change.rank == kAllRanks ? -1 : spans_[phase.period.ranks[change.rank]].rank;
      finding.before_s = change.before_s;
      finding.after_s = change.after_s;
      finding.cost_s = change.cost_s;
      finding.text = sentence(change, finding, times.lengths[change.group], row.unit);
    }
  }

  static std::string sentence(const IterationChange& change, const IterationFindingSummary& finding,
                              std::uint64_t length, const std::string& unit) {
    const std::string who = finding.rank < 0 ? "the ranks compute" : fmt::format("rank {} computes", finding.rank);
    const std::string before = human_duration(change.before_s), after = human_duration(change.after_s);
    const std::string name = unit == "instance" ? "Instance" : "Iteration";
    const std::string which =
        length == 1 ? fmt::format("{} {}", name, finding.iteration)
                    : fmt::format("{}s {} to {}", name, finding.iteration, finding.iteration + length - 1);
    const double times = change.after_s / change.before_s;
    switch (change.kind) {
      case ChangeKind::slow:
        return fmt::format("{}: {} {} instead of {}.", which, who, after, before);
      case ChangeKind::slow_in_mpi:
        return fmt::format("{}: {} instead of {}, and the ranks do not compute longer.", which, after, before);
      case ChangeKind::step:
        return fmt::format("From {} {} on {} {:.0f} % longer: {} instead of {}.", unit, finding.iteration, who,
                           100 * (times - 1), after, before);
      case ChangeKind::trend:
        break;
    }
    return fmt::format("From the first {} to the last one {} {:.0f} % longer: {} at first, then {}.", unit, who,
                       100 * (times - 1), before, after);
  }

  const CallPlaces& places() {
    if (!places_) places_.emplace(definitions_);
    return *places_;
  }

  struct Progress {  // of a rank
    std::int64_t mpi_ns = 0;
    std::uint64_t calls = 0;
    std::optional<CallKey> last{};
    OpenRegions<> open{};
  };

  const MergedDefinitions& definitions_;
  std::vector<MarkerRole> roles_;       // [call]
  std::vector<MeasuredSpan> spans_;     // of ranks with events
  std::vector<std::size_t> rank_of_;    // [location]: in spans_; kNoRank: no main thread
  std::optional<CallPeriods> periods_;  // in the first walk
  std::vector<Phase> phases_;
  std::vector<Progress> progress_;  // [rank], in the second walk
  std::optional<CallPlaces> places_;
  std::int64_t start_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<TraceVisitor>> find_iterations(const AnalysisInput& input) {
  return std::unique_ptr<TraceVisitor>{std::make_unique<IterationFinder>(input.trace, input.spans)};
}

}  // namespace meridian
