// SPDX-License-Identifier: Apache-2.0
// The energy of hosts, by zone, by region of the program, and by phase. docs/ENERGY.md has the definitions.

#include "analysis/energy/energy.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/energy/host_energy.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/model/open_regions.hpp"
#include "summary/summary.hpp"
#include "trace/model/event.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

double quotient(double part, double whole) { return whole > 0 ? part / whole : 0; }

class EnergyFinder final : public TraceVisitor {
 public:
  explicit EnergyFinder(const AnalysisInput& input)
      : definitions_{input.trace.definitions()}, traits_{call_traits(definitions_)} {
    for (const MergedRank& rank : definitions_.ranks) ++windows_[rank.host].ranks;
    for (const MeasuredSpan& span : input.spans) {
      const auto rank = std::ranges::find(definitions_.ranks, span.rank, &MergedRank::rank);
      if (!span.has_events || rank == definitions_.ranks.end()) continue;
      Window& window = windows_[rank->host];
      window.begin_ns = std::min(window.begin_ns, span.begin_ns);
      window.end_ns = std::max(window.end_ns, span.end_ns);
      threads_[span.main] = {.host = rank->host, .end_ns = span.end_ns};
    }
  }

  Status read(const MergedTrace& trace) {
    std::int64_t start_ns = 0;
    if (trace.events() != 0) {
      MERIDIAN_TRY(const MergedEvent first, trace.event(0));
      start_ns = first.enter_ns;
    }
    MERIDIAN_TRY(hosts_, read_host_energy(trace, [&](const MergedEnergyZone& zone, const EnergyCurve& curve) {
                   rows_.push_back(row_of(zone, curve, start_ns));
                 }));
    return {};
  }

  Status look_at(std::span<const WalkedEvent> events) override {
    if (hosts_.empty()) return {};
    for (const WalkedEvent& walked : events)
      if (traits_[walked.event.call].is_user) look_at(walked.event);
    return {};
  }

  Status finish(Summary& summary) override {
    for (auto& [location, thread] : threads_)
      if (!thread.open.empty()) end_region(thread, thread.open.all().front().call, thread.end_ns);
    summary.energy = std::move(rows_);
    summary.energy_regions.clear();
    for (const auto& [key, region] : regions_)
      summary.energy_regions.push_back(
          {key.first, key.second, region.count, region.time_s, region.joules,
           quotient(region.joules * static_cast<double>(windows_[key.first].ranks), region.time_s)});
    return {};
  }

 private:
  /// The time between the first leave of MPI_Init and the last enter of MPI_Finalize on a host.
  struct Window {
    std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
    std::uint64_t ranks = 0;
  };
  /// The first thread of a rank.
  struct Thread {
    std::string host;
    std::int64_t end_ns = 0;
    std::int64_t since_ns = 0;  // begin of the outermost region
    OpenRegions<> open{};
  };
  struct Region {
    std::uint64_t count = 0;
    double time_s = 0, joules = 0;
  };

  EnergySummary row_of(const MergedEnergyZone& zone, const EnergyCurve& curve, std::int64_t start_ns) {
    EnergySummary row;
    row.host = zone.host;
    row.zone = zone.name;
    row.kind = kEnergyKindNames[static_cast<std::size_t>(zone.kind)];
    row.is_added = zone.is_added;
    row.begin_s = seconds(curve.begin_ns() - start_ns);
    row.time_s = seconds(curve.end_ns() - curve.begin_ns());
    row.joules = curve.between(curve.begin_ns(), curve.end_ns());
    row.watts = quotient(row.joules, row.time_s);
    const Window& window = windows_[zone.host];
    const bool is_known = window.begin_ns < window.end_ns;
    const std::int64_t begin_ns = is_known ? std::max(window.begin_ns, curve.begin_ns()) : curve.begin_ns();
    const std::int64_t end_ns = is_known ? std::min(window.end_ns, curve.end_ns()) : curve.end_ns();
    if (begin_ns >= end_ns) return row;
    row.inner_s = seconds(end_ns - begin_ns);
    row.inner_joules = curve.between(begin_ns, end_ns);
    return row;
  }

  void look_at(const MergedEvent& event) {
    const auto found = threads_.find(event.location);
    if (found == threads_.end()) return;
    Thread& thread = found->second;
    if ((event.flags & kFlagBegins) != 0) {
      if (thread.open.empty()) thread.since_ns = event.enter_ns;
      thread.open.begin(event.call);
    } else if ((event.flags & kFlagEnds) != 0 && !thread.open.empty()) {
      const std::uint32_t outermost = thread.open.all().front().call;
      thread.open.end(event.call);
      if (thread.open.empty()) end_region(thread, outermost, event.enter_ns);
    }
  }

  void end_region(const Thread& thread, std::uint32_t call, std::int64_t end_ns) {
    const auto host = std::ranges::find(hosts_, thread.host, &HostEnergy::host);
    if (host == hosts_.end() || host->zones.empty() || end_ns < thread.since_ns) return;
    Region& region = regions_[{thread.host, std::string{definitions_.call_name(call)}}];
    ++region.count;
    region.time_s += seconds(end_ns - thread.since_ns);
    region.joules += host->between(thread.since_ns, end_ns) /
                     static_cast<double>(std::max<std::uint64_t>(windows_[thread.host].ranks, 1));
  }

  const MergedDefinitions& definitions_;
  std::vector<CallTraits> traits_;
  std::map<std::string, Window> windows_;    // by host
  std::map<std::uint32_t, Thread> threads_;  // by location
  std::vector<HostEnergy> hosts_;
  std::vector<EnergySummary> rows_;
  std::map<std::pair<std::string, std::string>, Region> regions_;  // by host and name
};

}  // namespace

Result<std::unique_ptr<TraceVisitor>> find_energy(const AnalysisInput& input) {
  auto finder = std::make_unique<EnergyFinder>(input);
  MERIDIAN_TRY_DO(finder->read(input.trace));
  return std::unique_ptr<TraceVisitor>{std::move(finder)};
}

Status find_energy_of_profile(const MergedTrace& trace, Summary& summary) {
  const std::vector<MeasuredSpan> unknown;
  EnergyFinder finder{{trace, summary, unknown}};
  MERIDIAN_TRY_DO(finder.read(trace));
  return finder.finish(summary);
}

/// Instances of a region have other things between them: the energy of a phase is that of its iterations only.
Status find_phase_energy(const MergedTrace& trace, Summary& summary) {
  summary.energy_phases.clear();
  if (summary.energy.empty() || summary.phases.empty() || trace.events() == 0) return {};
  MERIDIAN_TRY(const std::vector<HostEnergy> hosts, read_host_energy(trace, [](const auto&, const auto&) {}));
  MERIDIAN_TRY(const MergedEvent first, trace.event(0));
  for (std::size_t i = 0; i < summary.phases.size(); ++i) {
    const PhaseSummary& phase = summary.phases[i];
    if (phase.unit == "instance") continue;
    const auto at = [&](double s) { return first.enter_ns + static_cast<std::int64_t>(s * 1e9); };
    for (const HostEnergy& host : hosts) {
      if (host.zones.empty()) continue;
      const double joules = host.between(at(phase.begin_s), at(phase.end_s));
      summary.energy_phases.push_back({i, host.host, joules, quotient(joules, static_cast<double>(phase.iterations)),
                                       quotient(joules, phase.end_s - phase.begin_s)});
    }
  }
  return {};
}

}  // namespace meridian
