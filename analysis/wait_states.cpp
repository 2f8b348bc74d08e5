// SPDX-License-Identifier: Apache-2.0
// Wait states: which calls waited for other ranks, for how long, and which call of which rank ended the wait. The patterns
// are Scalasca's (M. Geimer et al., "The Scalasca performance toolset architecture", Concurrency and Computation 22, 2010).
// docs/WAITS.md has their definitions.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/event_window.hpp"
#include "merged/model/wait_sink.hpp"
#include "summary/summary.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

// Of MergedPart::shape.
constexpr std::int32_t kAllToAll = 0, kOneToAll = 1, kAllToOne = 2, kPrefix = 3, kNone = 4;

constexpr std::size_t kMostRows = 1 << 16;

/// The properties of a function that the analysis uses.
struct Function {
  bool blocks_sending = false;
  bool is_barrier = false;
  bool has_vectors = false;          // each rank states what it sends to each other one, so the trace has no shape
  std::optional<WaitKind> of_run{};  // MPI_Init, MPI_Finalize
};

Function function_of(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  switch (call_by_name(name)) {
    case CallId::Send:
    case CallId::Ssend:
    case CallId::Rsend:
    case CallId::Sendrecv:
    case CallId::Sendrecv_replace:
      return {.blocks_sending = true};
    case CallId::Barrier:
    case CallId::Ibarrier:
      return {.is_barrier = true};
    case CallId::Alltoallv:
    case CallId::Alltoallw:
    case CallId::Ialltoallv:
    case CallId::Ialltoallw:
      return {.has_vectors = true};
    case CallId::Init:
    case CallId::Init_thread:
      return {.of_run = WaitKind::init};
    case CallId::Finalize:
      return {.of_run = WaitKind::finalize};
    default:
      return {};
  }
}

class WaitFinder {
 public:
  WaitFinder(const MergedTrace& trace, EventWindow window, ClockBounds bounds, WaitSink* sink)
      : trace_{trace}, window_{std::move(window)}, bounds_{std::move(bounds)}, sink_{sink} {
    for (const MergedCall& call : trace.definitions().calls) functions_.push_back(function_of(call.name));
    for (const MergedLocation& location : trace.definitions().locations) {
      const MergedRank* const rank = trace.definitions().find_rank(location.rank);
      domains_.push_back(rank == nullptr ? 0 : rank->clock_domain);
      worlds_.push_back(rank == nullptr ? 0 : rank->world);
    }
    name_places();
  }

  Status run() {
    for (;;) {
      MERIDIAN_TRY(const bool has_events, window_.next());
      if (!has_events) break;
      const MergedBatch& batch = window_.current();
      for (const MergedEvent& event : batch.events) {
        if (event.call < functions_.size() && functions_[event.call].of_run)
          of_run_[{*functions_[event.call].of_run, worlds_[event.location]}].push_back(whole(event));
        if (event.links != 0) MERIDIAN_TRY_DO(look_at_messages(event, batch.links_of(event)));
      }
      MERIDIAN_TRY_DO(look_at_collectives(window_.end()));
    }
    MERIDIAN_TRY_DO(look_at_collectives(UINT64_MAX));
    for (const auto& [key, calls] : of_run_) MERIDIAN_TRY_DO(wait_for_latest(key.first, calls));
    return sink_ == nullptr ? Status{} : sink_->store();
  }

  std::vector<WaitSummary> rows() const {
    std::vector<WaitSummary> list;
    for (const auto& [key, sum] : waits_) {
      const auto& [kind, rank, call, place, causer, causer_call, causer_place] = key;
      list.push_back({std::string{kWaitKindNames[static_cast<std::size_t>(kind)]}, rank,
                      std::string{trace_.definitions().call_name(call)}, places_[place], causer,
                      std::string{trace_.definitions().call_name(causer_call)}, places_[causer_place], sum.count,
                      sum.unresolved, seconds(sum.ns), seconds(sum.longest_ns)});
    }
    std::ranges::stable_sort(list, [](const WaitSummary& a, const WaitSummary& b) { return a.total_s > b.total_s; });
    return list;
  }

 private:
  using Key =
      std::tuple<WaitKind, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t, std::uint32_t, std::uint32_t>;
  struct Sum {
    std::uint64_t count = 0, unresolved = 0;
    std::int64_t ns = 0, longest_ns = 0;
  };
  /// A wait that may turn out to be shorter than another explanation of the same time.
  struct Wait {
    WaitKind kind{};
    std::int64_t ns = 0;
    WindowEvent causer;
  };

  /// Call sites on one line are one place.
  void name_places() {
    const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
    const MergedDefinitions& definitions = trace_.definitions();
    std::unordered_map<std::string, std::uint32_t> known{{"", 0}};
    place_of_site_.push_back(0);
    for (std::size_t i = 1; i < definitions.sites.size(); ++i) {
      const MergedSite& site = definitions.sites[i];
      std::string name;
      if (site.line != 0) {
        name = base(site.file) + ":" + std::to_string(site.line);
      } else if (site.module != 0 && site.module < definitions.modules.size()) {
        char offset[24];
        std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(site.offset));
        name = base(definitions.modules[site.module].path) + offset;
      }
      const auto [at, is_new] = known.try_emplace(name, static_cast<std::uint32_t>(places_.size()));
      if (is_new) places_.push_back(name);
      place_of_site_.push_back(at->second);
    }
  }
  std::uint32_t place_of(const WindowEvent& event) const {
    return event.site < place_of_site_.size() ? place_of_site_[event.site] : 0;
  }

  std::int32_t rank_of(const WindowEvent& event) const {
    const auto& locations = trace_.definitions().locations;
    return event.location < locations.size() ? locations[event.location].rank : -1;
  }

  /// The most by which the difference of the times at which two calls begin may be wrong, ns; 0 within one clock.
  std::int64_t doubt(const WindowEvent& a, const WindowEvent& b) const {
    const std::uint32_t domain_a = domains_[a.location], domain_b = domains_[b.location];
    if (domain_a == domain_b) return 0;
    const auto at_a = bounds_.at(domain_a, a.enter_ns, BoundLevel::t1);
    const auto at_b = bounds_.at(domain_b, b.enter_ns, BoundLevel::t1);
    return (at_a ? at_a->half_width_ns() : 0) + (at_b ? at_b->half_width_ns() : 0);
  }

  Status add(const Wait& wait, const WindowEvent& waiter) {
    Key key{wait.kind,        rank_of(waiter),      waiter.call, place_of(waiter), rank_of(wait.causer),
            wait.causer.call, place_of(wait.causer)};
    if (waits_.size() >= kMostRows && !waits_.contains(key))
      key = {wait.kind, rank_of(waiter), waiter.call, 0, -1, UINT32_MAX, 0};
    Sum& sum = waits_[key];
    if (wait.ns <= doubt(waiter, wait.causer)) {
      ++sum.unresolved;
      return {};
    }
    ++sum.count;
    sum.ns += wait.ns;
    sum.longest_ns = std::max(sum.longest_ns, wait.ns);
    return sink_ == nullptr ? Status{} : sink_->append({waiter.row, wait.causer.row, wait.ns, wait.kind});
  }

  static WindowEvent whole(const MergedEvent& event) {
    return {event.row, event.enter_ns, event.leave_ns(), event.bytes_sent, event.location, event.call, event.site};
  }

  /// The messages that a call sent and received: the longest wait counts, because they are waited for at the same time.
  Status look_at_messages(const MergedEvent& event, std::span<const EventLink> links) {
    const WindowEvent here = whole(event);
    std::optional<Wait> longest;
    const auto consider = [&](WaitKind kind, const WindowEvent& causer) {
      const std::int64_t ns = std::min(causer.enter_ns, here.leave_ns) - here.enter_ns;
      if (ns > 0 && (!longest || ns > longest->ns)) longest = {kind, ns, causer};
    };
    const bool blocks_sending = event.call < functions_.size() && functions_[event.call].blocks_sending;
    for (const EventLink& link : links) {
      if (link.kind == LinkKind::sent && !blocks_sending) continue;
      MERIDIAN_TRY(const MessageEnds ends, trace_.message_ends(link.number));
      if (link.kind == LinkKind::received) {
        MERIDIAN_TRY(const WindowEvent send, window_.event(ends.send));
        consider(WaitKind::late_sender, send);
      } else {
        MERIDIAN_TRY(const WindowEvent post, window_.event(ends.post));
        // A send that ends before the receive is posted did not wait for it.
        if (here.leave_ns > post.enter_ns) consider(WaitKind::late_receiver, post);
      }
    }
    return longest ? add(*longest, here) : Status{};
  }

  /// Collectives whose calls all have rows below `end`; those in a longer call wait for a later batch.
  Status look_at_collectives(std::uint64_t end) {
    while (next_part_ < trace_.parts()) {
      if (parts_.empty()) {
        MERIDIAN_TRY(const MergedPart first, trace_.part(next_part_));
        for (std::int32_t i = 0; i < first.parts; ++i) {
          MERIDIAN_TRY(parts_.emplace_back(), trace_.part(next_part_ + static_cast<std::uint64_t>(i)));
        }
      }
      for (const MergedPart& part : parts_)
        if (std::max(part.start, part.completion) >= end) return {};
      next_part_ += parts_.size();
      MERIDIAN_TRY_DO(look_at_instance());
      parts_.clear();
    }
    return {};
  }

  Status look_at_instance() {
    starts_.clear();
    for (const MergedPart& part : parts_) {
      MERIDIAN_TRY(starts_.emplace_back(), window_.event(part.start));
    }
    // A participant without data has no shape: it neither waits nor is waited for.
    std::int32_t shape = kNone;
    for (const MergedPart& part : parts_) shape = std::min(shape, part.shape);
    if (shape == kPrefix) return look_at_prefix();
    if (shape == kOneToAll || shape == kAllToOne) return look_at_root(shape);
    const auto knows = [&](const WindowEvent& event) { return event.call < functions_.size(); };
    const bool is_by_bytes = std::ranges::any_of(
        starts_, [&](const WindowEvent& start) { return knows(start) && functions_[start.call].has_vectors; });
    if (shape != kAllToAll && !is_by_bytes) return {};
    const WindowEvent* latest = nullptr;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const bool is_waited_for = shape == kAllToAll ? parts_[i].shape == kAllToAll : starts_[i].bytes_sent != 0;
      if (is_waited_for && (latest == nullptr || starts_[i].enter_ns > latest->enter_ns)) latest = &starts_[i];
    }
    if (latest == nullptr) return {};
    const bool is_barrier = knows(*latest) && functions_[latest->call].is_barrier;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (shape != kAllToAll || parts_[i].shape == kAllToAll)
        MERIDIAN_TRY_DO(wait_in(is_barrier ? WaitKind::barrier : WaitKind::all_to_all, i, *latest));
    return {};
  }

  Status look_at_root(std::int32_t shape) {
    const auto root = std::ranges::find(parts_, parts_.front().root, &MergedPart::comm_rank);
    if (root == parts_.end()) return {};
    const auto at = static_cast<std::size_t>(root - parts_.begin());
    if (parts_[at].shape == kNone) return {};
    if (shape == kOneToAll) {
      for (std::size_t i = 0; i < parts_.size(); ++i)
        if (i != at && parts_[i].shape != kNone) MERIDIAN_TRY_DO(wait_in(WaitKind::late_root, i, starts_[at]));
      return {};
    }
    const WindowEvent* latest = nullptr;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (i != at && parts_[i].shape != kNone && (latest == nullptr || starts_[i].enter_ns > latest->enter_ns))
        latest = &starts_[i];
    const auto is_before_root = [&](const WindowEvent& start) { return start.enter_ns < starts_[at].enter_ns; };
    if (latest == nullptr || std::ranges::any_of(starts_, is_before_root)) return {};
    return wait_in(WaitKind::early_root, at, *latest);
  }

  Status look_at_prefix() {
    std::vector<std::size_t> order(parts_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::erase_if(order, [&](std::size_t i) { return parts_[i].shape == kNone; });
    std::ranges::sort(order, {}, [&](std::size_t i) { return parts_[i].comm_rank; });
    std::size_t latest = order.front();
    for (const std::size_t i : order) {
      if (starts_[i].enter_ns > starts_[latest].enter_ns) latest = i;
      if (i != latest) MERIDIAN_TRY_DO(wait_in(WaitKind::prefix, i, starts_[latest]));
    }
    return {};
  }

  /// The wait of participant `i` for a call, in the call in which it leaves the collective.
  Status wait_in(WaitKind kind, std::size_t i, const WindowEvent& causer) {
    WindowEvent here = starts_[i];
    if (parts_[i].completion != parts_[i].start) {
      MERIDIAN_TRY(here, window_.event(parts_[i].completion));
    }
    const std::int64_t ns = std::min(causer.enter_ns, here.leave_ns) - std::max(here.enter_ns, starts_[i].enter_ns);
    return ns > 0 ? add({kind, ns, causer}, here) : Status{};
  }

  /// For calls of all ranks that are no collectives in the trace.
  Status wait_for_latest(WaitKind kind, const std::vector<WindowEvent>& calls) {
    const WindowEvent& latest = *std::ranges::max_element(calls, {}, &WindowEvent::enter_ns);
    for (const WindowEvent& here : calls) {
      const std::int64_t ns = std::min(latest.enter_ns, here.leave_ns) - here.enter_ns;
      if (ns > 0) MERIDIAN_TRY_DO(add({kind, ns, latest}, here));
    }
    return {};
  }

  const MergedTrace& trace_;
  EventWindow window_;
  ClockBounds bounds_;
  WaitSink* sink_;                            // may be null
  std::vector<Function> functions_;           // [call]
  std::vector<std::uint32_t> domains_;        // [location]
  std::vector<std::uint32_t> worlds_;         // [location]
  std::vector<std::string> places_{""};       // [place]
  std::vector<std::uint32_t> place_of_site_;  // [site]
  std::map<Key, Sum> waits_;
  std::map<std::pair<WaitKind, std::uint32_t>, std::vector<WindowEvent>> of_run_;  // [kind, world]
  std::uint64_t next_part_ = 0;
  std::vector<MergedPart> parts_;    // of the next instance
  std::vector<WindowEvent> starts_;  // [part of it]
};

}  // namespace

Status find_waits(const MergedTrace& trace, Summary& summary, WaitSink* waits) {
  MERIDIAN_TRY(EventWindow window, EventWindow::open(trace, link_bit(LinkKind::sent) | link_bit(LinkKind::received)));
  ClockBounds bounds;
  if (auto found = trace.clock_bounds())
    bounds = std::move(*found);
  else if (found.error().code != Errc::not_found)
    return std::move(found).error();
  WaitFinder finder{trace, std::move(window), std::move(bounds), waits};
  MERIDIAN_TRY_DO(finder.run());
  summary.waits = finder.rows();
  return {};
}

}  // namespace meridian
