// SPDX-License-Identifier: Apache-2.0
// States of threads, efficiencies of the run, its regions and time windows, and how long the run would take if something
// cost nothing. docs/EFFICIENCY.md has the definitions.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/efficiency/counted_efficiency.hpp"
#include "analysis/efficiency/efficiency_factors.hpp"
#include "analysis/efficiency/questions.hpp"
#include "analysis/efficiency/ready_counts.hpp"
#include "analysis/efficiency/region_times.hpp"
#include "analysis/efficiency/replay.hpp"
#include "analysis/efficiency/thread_counts.hpp"
#include "analysis/walk/collective_shape.hpp"
#include "analysis/walk/measured_spans.hpp"
#include "analysis/walk/ready_times.hpp"
#include "analysis/walk/tiles.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "summary/summary.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kWindows = 20;
constexpr std::size_t kMostRegions = 16;  // that may cost nothing in turn: those with the longest times
/// How long a thread computed, with a processor, and waited while it was measured, in the run or in a window.
struct Measured {
  std::int64_t compute_ns = 0;
  std::int64_t sync_ns = 0;
};

class EfficiencyFinder final : public TraceVisitor {
 public:
  EfficiencyFinder(const MergedTrace& trace, const Summary& summary, std::vector<MeasuredSpan> spans,
                   std::vector<LocationLife> lives, AwayTimes away)
      : trace_{trace},
        definitions_{trace.definitions()},
        spans_{std::move(spans)},
        lives_{std::move(lives)},
        ready_{std::move(away.ready)},
        questions_{ready_.is_known()},
        region_names_{chosen_regions(summary)},
        tiler_{definitions_, lives_, [this](const Tile& tile) { count(tile); }},
        replay_{questions_.scenarios(region_names_.size()), lives_.size(), ready_.is_known() ? &ready_ : nullptr},
        counts_{spans_.size()},
        states_(lives_.size()),
        ready_counts_{ready_, std::move(away.slept), lives_.size()},
        run_(lives_.size()),
        window_(kWindows * lives_.size()),
        ends_(replay_.scenarios(), kUnknownTime) {
    for (std::uint32_t i = 0; i < lives_.size(); ++i) {
      const auto span = std::ranges::find(spans_, definitions_.locations[i].rank, &MeasuredSpan::rank);
      span_of_.push_back(static_cast<std::size_t>(span - spans_.begin()));
      if (lives_[i].begin_ns != kUnknownTime && !tiler_.may_be_inside(i)) births_.push_back(i);
    }
    std::ranges::stable_sort(births_, {}, [&](std::uint32_t i) { return lives_[i].begin_ns; });
    begin_ns_ = INT64_MAX;
    end_ns_ = INT64_MIN;
    for (const MeasuredSpan& span : spans_) {
      if (!span.has_events) continue;
      begin_ns_ = std::min(begin_ns_, span.begin_ns);
      end_ns_ = std::max(end_ns_, span.end_ns);
    }
    is_ended_.resize(spans_.size());
    const std::int64_t run_ns = has_events() ? end_ns_ - begin_ns_ : 0;
    constexpr auto kParts = static_cast<std::int64_t>(kWindows);
    for (std::int64_t w = 0; w <= kParts; ++w)
      bounds_[static_cast<std::size_t>(w)] = begin_ns_ + run_ns / kParts * w + run_ns % kParts * w / kParts;
    for (const MergedCall& call : definitions_.calls) {
      const auto chosen = std::ranges::find(region_names_, call.name);
      const bool is_chosen = group_by_name(call.group) == CallGroup::user && chosen != region_names_.end();
      scenario_of_call_.push_back(
          is_chosen ? questions_.list.size() + static_cast<std::size_t>(chosen - region_names_.begin()) : 0);
    }
  }

  bool has_events() const { return begin_ns_ < end_ns_; }

  Status finish(Summary& summary) override {
    begin_threads(INT64_MAX);
    tiler_.finish();
    while (next_window_ < kWindows) close_window();
    for (std::size_t i = 0; i < spans_.size(); ++i)
      if (spans_[i].has_events && !is_ended_[i]) end_rank(i, spans_[i].end_ns);
    fill(summary);
    return {};
  }

  Status look_at(std::span<const WalkedEvent> events) override {
    for (const WalkedEvent& walked : events) MERIDIAN_TRY_DO(look_at(walked));
    return {};
  }

 private:
  Status look_at(const WalkedEvent& walked) {
    const MergedEvent& event = walked.event;
    if (event.row == 0) start_ns_ = event.enter_ns;
    while (next_window_ + 1 < kWindows && bound(next_window_ + 1) <= event.enter_ns) close_window();
    begin_threads(event.enter_ns);
    tiler_.add(event, walked.waits);
    const std::uint32_t location = event.location;
    const CallTraits& traits = tiler_.traits(event.call);
    const std::size_t number = span_of_[location];
    const bool is_measured = number != spans_.size();
    if (const std::uint32_t outer = tiler_.outer(location); outer != location) {
      replay_.enter_inside(location, outer, event.enter_ns, event.leave_ns(), traits.state);
    } else {
      begin_thread(location, event.enter_ns);
      replay_.enter(location, event.enter_ns, event.leave_ns(), traits.state, event.outside_ns);
      if (traits.is_join && is_measured) counts_.join(number, event.enter_ns, event.leave_ns());
    }
    if (traits.starts_mpi && (!is_measured || event.leave_ns() <= spans_[number].begin_ns)) {
      replay_.keep(location);
    } else {
      const bool is_early = is_measured && location == spans_[number].main && event.enter_ns < spans_[number].begin_ns;
      if (is_early && !traits.starts_mpi) replay_.keep(location);
      MERIDIAN_TRY_DO(depend(walked, traits));
    }
    if (!tiler_.changes().empty()) change_regions(event);
    // A program may have several sessions, one after another.
    if (traits.ends_mpi && is_measured && event.enter_ns >= spans_[number].end_ns) end_rank(number, event.enter_ns);
    return {};
  }

  void fill(Summary& summary) {
    summary.states.clear();
    for (std::size_t i = 0; i < states_.size(); ++i)
      for (std::size_t s = 0; s < kStateCount; ++s)
        if (states_[i][s] != 0)
          summary.states.push_back({definitions_.locations[i].rank, definitions_.locations[i].thread,
                                    std::string{kStateNames[s]}, seconds(states_[i][s])});
    ready_counts_.fill(definitions_, summary);
    summary.efficiencies.clear();
    summary.what_if.clear();
    if (!has_events()) return;
    const std::uint64_t threads = counts_.sum();
    std::vector<std::size_t> of_rank(spans_.size() + 1);
    for (std::uint32_t i = 0; i < lives_.size(); ++i) of_rank[span_of_[i]] += tiler_.outer(i) == i ? 1 : 0;
    for (std::size_t i = 0; i < spans_.size(); ++i) is_threaded_.push_back(of_rank[i] > 1);
    EfficiencySummary& whole = summary.efficiencies.emplace_back();
    whole.scope = "run";
    whole.begin_s = since_start(begin_ns_);
    fill_factors(times_of(run_, end_ns_ - begin_ns_, ends_[Questions::kNetwork] - begin_ns_,
                          ends_[questions_.processor] - begin_ns_, threads),
                 whole);
    add_counters(summary, whole);
    for (const auto& [region, threads_in] : regions_.all()) {
      EfficiencySummary& row = summary.efficiencies.emplace_back();
      row.scope = "region";
      row.name = definitions_.call_name(region);
      row.begin_s = since_start(threads_in.begin_ns);
      fill_factors(threads_in.times(), row);
      add_counters(summary, row);
    }
    for (std::size_t w = 0; w < kWindows; ++w) {
      EfficiencySummary& row = summary.efficiencies.emplace_back();
      row.scope = "window";
      row.name = std::to_string(w + 1);
      row.begin_s = since_start(bound(w));
      fill_factors(times_of(std::span{window_}.subspan(w * lives_.size(), lives_.size()), bound(w + 1) - bound(w),
                            window_ideal_ns_[w], window_processor_ns_[w], threads),
                   row);
    }
    fill_what_if(summary);
  }

  static std::vector<std::string> chosen_regions(const Summary& summary) {
    std::vector<std::string> names;
    for (const RegionSummary& region : summary.regions)
      if (names.size() < kMostRegions) names.push_back(region.name);
    return names;
  }

  double since_start(std::int64_t ns) const { return seconds(ns - start_ns_); }
  std::int64_t bound(std::size_t window) const { return bounds_[window]; }

  void count(const Tile& tile) {
    const std::size_t number = span_of_[tile.location];
    const std::int64_t ready_ns = ready_counts_.count(tile, number == spans_.size() ? nullptr : &spans_[number]);
    states_[tile.location][static_cast<std::size_t>(tile.state)] += tile.end_ns - tile.begin_ns - ready_ns;
    states_[tile.location][static_cast<std::size_t>(LocationState::ready)] += ready_ns;
    const bool is_compute = tile.state == LocationState::compute;
    if (number == spans_.size()) return;
    const MeasuredSpan& span = spans_[number];
    if (!is_compute && (tile.state != LocationState::sync_wait || tile.location != span.main)) return;
    const std::int64_t begin_ns = std::max(tile.begin_ns, span.begin_ns);
    const std::int64_t end_ns = std::min(tile.end_ns, span.end_ns);
    if (begin_ns >= end_ns) return;
    const auto part = is_compute ? &Measured::compute_ns : &Measured::sync_ns;
    // Computing is that with a processor.
    const auto length = [&](std::int64_t from_ns, std::int64_t to_ns) {
      return to_ns - from_ns - (is_compute ? ready_.between(tile.location, from_ns, to_ns) : 0);
    };
    run_[tile.location].*part += length(begin_ns, end_ns);
    const auto after = std::ranges::upper_bound(bounds_, begin_ns);
    for (auto w = static_cast<std::size_t>(after - bounds_.begin()) - 1; w < kWindows && bound(w) < end_ns; ++w) {
      const std::int64_t in_window = length(std::max(begin_ns, bound(w)), std::min(end_ns, bound(w + 1)));
      window_[w * lives_.size() + tile.location].*part += in_window;
    }
    if (is_compute) regions_.compute(tile.location, tiler_.regions(tile.location), length(begin_ns, end_ns));
  }

  EfficiencyTimes times_of(std::span<const Measured> threads, std::int64_t run_ns, std::int64_t ideal_ns,
                           std::int64_t processor_ns, std::uint64_t most_threads) const {
    EfficiencyTimes times{run_ns, ideal_ns, std::vector<std::int64_t>(spans_.size()), 0, most_threads, processor_ns};
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (span_of_[i] == spans_.size()) continue;
      std::int64_t& outside_ns = times.outside_ns[span_of_[i]];
      times.compute_ns += threads[i].compute_ns;
      outside_ns = std::max(outside_ns, threads[i].compute_ns + (is_threaded_[span_of_[i]] ? threads[i].sync_ns : 0));
    }
    return times;
  }

  /// Threads that begin until t.
  void begin_threads(std::int64_t t) {
    for (; next_birth_ < births_.size() && lives_[births_[next_birth_]].begin_ns <= t; ++next_birth_)
      begin_thread(births_[next_birth_], lives_[births_[next_birth_]].begin_ns);
  }
  void begin_thread(std::uint32_t location, std::int64_t t) {
    if (replay_.is_begun(location) || span_of_[location] == spans_.size()) return;
    const MeasuredSpan& span = spans_[span_of_[location]];
    const std::uint32_t creator = lives_[location].creator != kNoLocation ? lives_[location].creator : span.main;
    replay_.begin(location, t, creator == location ? kNoLocation : creator);
    counts_.begin(span_of_[location], t);
    if (lives_[location].end_ns != kUnknownTime) counts_.end_at(span_of_[location], lives_[location].end_ns);
  }

  Status depend(const WalkedEvent& walked, const CallTraits& traits) {
    const std::uint32_t location = walked.event.location;
    bool has_sent = false, has_received = false, has_left = false;
    std::optional<MergedPart> part;
    for (const EventLink& link : walked.links) {
      if (link.kind == LinkKind::entered || link.kind == LinkKind::left) {
        if (!part || part->number != link.number) {
          MERIDIAN_TRY(part, trace_.part(link.number));
        }
        if (link.kind == LinkKind::entered) {
          replay_.enter_collective(location, *part);
        } else {
          replay_.leave_collective(location, *part);
          has_left = has_left || shape_of(*part) != CollectiveShape::none;
        }
      } else if (link.kind == LinkKind::sent) {
        replay_.send(location, link.number, traits.is_blocking_send, traits.is_synchronous_send);
        has_sent = true;
      } else if (link.kind == LinkKind::posted) {
        replay_.post(location, link.number);
      } else {
        replay_.receive(location, link.number);
        has_received = true;
      }
    }
    for (const WaitSpan& wait : walked.waits) {
      if (traits.ends_mpi || wait.causer == location) continue;
      const bool is_collective = wait.kind >= WaitKind::barrier && wait.kind <= WaitKind::prefix;
      const bool is_explained = is_collective                          ? has_left
                                : wait.kind == WaitKind::late_receiver ? has_sent
                                                                       : has_received;
      if (is_explained) continue;
      replay_.wait(wait, traits.state == LocationState::sync_wait ? WaitFor::thread
                         : wait.kind == WaitKind::late_receiver   ? WaitFor::message
                                                                  : WaitFor::other_rank);
    }
    return {};
  }

  void change_regions(const MergedEvent& event) {
    const std::uint32_t location = event.location;
    if (span_of_[location] == spans_.size()) return;
    const MeasuredSpan& span = spans_[span_of_[location]];
    const std::int64_t t = std::clamp(event.enter_ns, span.begin_ns, span.end_ns);
    const RegionTimes::Ideal ideal_ns = t == event.enter_ns  ? ideal_at(location, t)
                                        : event.enter_ns < t ? RegionTimes::Ideal{t, t}
                                                             : regions_.last_ideal(location);
    for (const Tiler::Change& change : tiler_.changes())
      regions_.change(location, change.region, change.is_open, t, ideal_ns);
    std::uint64_t free = 0;
    for (const auto& [region, none] : tiler_.regions(location).all())
      if (region < scenario_of_call_.size() && scenario_of_call_[region] != 0)
        free |= std::uint64_t{1} << scenario_of_call_[region];
    replay_.set_free(location, free);
  }

  RegionTimes::Ideal ideal_at(std::uint32_t location, std::int64_t t) {
    const auto times = replay_.at(location, t);
    return {times[Questions::kNetwork], times[questions_.processor]};
  }

  /// Until when a thread that has made its last call so far is known to live, at most t.
  std::int64_t lives_until(std::uint32_t location, std::int64_t t) const {
    const MeasuredSpan& span = spans_[span_of_[location]];
    if (location == span.main) return std::min(t, span.end_ns);
    const std::int64_t end_ns =
        lives_[location].end_ns != kUnknownTime ? lives_[location].end_ns : replay_.leave_ns(location);
    return std::min({t, end_ns, span.end_ns});
  }
  bool is_main(std::uint32_t location) const { return spans_[span_of_[location]].main == location; }
  /// Then each thread has an end of its own; otherwise the main thread waits for the others whose results it needs.
  bool waits_for_no_thread(std::size_t scenario) const {
    return scenario < questions_.list.size() && questions_.list[scenario].scenario.waits_are_free(WaitFor::thread);
  }
  bool is_measured(std::uint32_t location, std::int64_t t) const {
    return replay_.is_begun(location) && tiler_.outer(location) == location && span_of_[location] != spans_.size() &&
           spans_[span_of_[location]].begin_ns < t;
  }

  void close_window() {
    const std::int64_t from_ns = bound(next_window_), to_ns = bound(next_window_ + 1);
    std::int64_t ideal_ns = from_ns, processor_ns = from_ns;
    for (std::uint32_t i = 0; i < lives_.size(); ++i) {
      if (!is_measured(i, to_ns) || !is_main(i)) continue;
      const auto times = replay_.at(i, lives_until(i, to_ns));
      ideal_ns = std::max(ideal_ns, times[Questions::kWindowed]);
      processor_ns = std::max(processor_ns, times[questions_.windowed_processor]);
    }
    window_ideal_ns_[next_window_] = ideal_ns - from_ns;
    window_processor_ns_[next_window_++] = processor_ns - from_ns;
    replay_.restart(Questions::kWindowed, to_ns);
    if (ready_.is_known()) replay_.restart(questions_.windowed_processor, to_ns);
  }

  /// The rank comes to MPI_Finalize, or to its last event.
  void end_rank(std::size_t number, std::int64_t t) {
    if (is_ended_[number]) return;
    is_ended_[number] = true;
    for (std::uint32_t i = 0; i < lives_.size(); ++i) {
      if (span_of_[i] != number || !is_measured(i, INT64_MAX)) continue;
      const std::int64_t until_ns = lives_until(i, t);
      const auto times = replay_.at(i, is_main(i) ? until_ns : replay_.busy_until(i, until_ns));
      for (std::size_t s = 0; s < times.size(); ++s)
        if (is_main(i) || waits_for_no_thread(s)) ends_[s] = std::max(ends_[s], times[s]);
      regions_.close(i, until_ns, ideal_at(i, until_ns));
    }
  }

  void fill_what_if(Summary& summary) const {
    const std::int64_t run_ns = end_ns_ - begin_ns_;
    for (std::size_t s = 0; s < replay_.scenarios(); ++s) {
      const bool is_region = s >= questions_.list.size();
      if (!is_region && *questions_.list[s].kind == '\0') continue;
      const std::int64_t time_ns = std::clamp(ends_[s] - begin_ns_, std::int64_t{0}, run_ns);
      const std::int64_t saved_ns = run_ns - time_ns;
      if (saved_ns == 0 && s != Questions::kNetwork) continue;
      summary.what_if.push_back({is_region ? "region" : questions_.list[s].kind,
                                 is_region ? region_names_[s - questions_.list.size()] : questions_.list[s].name,
                                 seconds(time_ns), seconds(saved_ns),
                                 static_cast<double>(saved_ns) / static_cast<double>(run_ns)});
    }
    std::ranges::stable_sort(summary.what_if, std::greater<>{}, &WhatIfSummary::saved_s);
  }

  const MergedTrace& trace_;
  const MergedDefinitions& definitions_;
  std::vector<MeasuredSpan> spans_;
  std::vector<LocationLife> lives_;
  ReadyTimes ready_;
  Questions questions_;
  std::vector<std::string> region_names_;
  Tiler tiler_;
  Replay replay_;
  ThreadCounts counts_;
  RegionTimes regions_;
  std::vector<std::array<std::int64_t, kStateCount>> states_;  // [location]
  ReadyCounts ready_counts_;
  std::vector<Measured> run_;     // [location]
  std::vector<Measured> window_;  // [window, location]
  std::array<std::int64_t, kWindows + 1> bounds_{};
  std::array<std::int64_t, kWindows> window_ideal_ns_{}, window_processor_ns_{};
  std::size_t next_window_ = 0;
  std::vector<std::int64_t> ends_;             // [scenario]
  std::vector<std::size_t> span_of_;           // [location]; the number of spans: none
  std::vector<std::size_t> scenario_of_call_;  // [call]; 0: none
  std::vector<std::uint32_t> births_;          // locations with a known beginning and no callbacks
  std::size_t next_birth_ = 0;
  std::vector<bool> is_ended_;     // [span]
  std::vector<bool> is_threaded_;  // [span]: it has several threads
  std::int64_t start_ns_ = 0;      // first event
  std::int64_t begin_ns_ = 0, end_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<TraceVisitor>> find_efficiencies(const AnalysisInput& input) {
  MERIDIAN_TRY(std::vector<LocationLife> lives, location_lives(input.trace, input.summary));
  MERIDIAN_TRY(AwayTimes away, AwayTimes::read(input.trace));
  return std::unique_ptr<TraceVisitor>{
      std::make_unique<EfficiencyFinder>(input.trace, input.summary, input.spans, std::move(lives), std::move(away))};
}

}  // namespace meridian
