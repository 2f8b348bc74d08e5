// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "merger/clocks/fit/clock_domains.hpp"
#include "merger/clocks/fit/clock_graph.hpp"
#include "merger/clocks/fit/fit_clocks.hpp"
#include "merger/model/findings.hpp"
#include "trace/model/nearest_name.hpp"
#include "trace/model/text_fields.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// Nominal ns of a domain -> ns since the reference's base.
using Lines = std::vector<ClockLine>;

/// A part of the graph without exchanges with the reference is placed by its realtime clock at the start or, if it has
/// none, so that its earliest stamp coincides with that of the reference.
ClockLine line_of_root(const ClockDomain& reference, const ClockDomain& root) {
  if (reference.has_anchor && root.has_anchor)
    return {0, static_cast<long double>(root.axis.base_realtime_ns - reference.axis.base_realtime_ns), 0};
  return {root.axis.ns(root.first_ticks), reference.axis.ns(reference.first_ticks), 0};
}

Lines lines_to_reference(std::span<const ClockDomain> domains, const Placements& placed) {
  const std::size_t reference = placed.reference;
  Lines lines;
  for (const PlacedDomain& place : placed.domains)
    lines.push_back(place.root == reference
                        ? place.to_root
                        : compose(line_of_root(domains[reference], domains[place.root]), place.to_root));
  return lines;
}

ClockMap integer_map(const TickAxis& axis, const ClockLine& line) {
  const long double scale = std::ldexp(axis.ns_per_tick * (1 + line.drift), kTickScaleBits);
  const long double longest = std::ldexp(1.0L, 62);  // damaged stamps may yield any value
  return {axis.base_ticks, std::llround(std::clamp(line(0), -longest, longest)),
          static_cast<std::uint64_t>(std::llround(std::clamp(scale, 1.0L, longest)))};
}

const char* model_name(bool is_reference, const PlacedDomain& place, ClockModel model) {
  if (is_reference) return "reference";
  if (model == ClockModel::none) return "none";
  if (place.placement == Placement::root) return "realtime";
  if (!place.has_drift) return "offset";
  return model == ClockModel::regression ? "regression" : "linear";
}

ClockSummary row_of(std::span<const RankMeta* const> metas, std::span<const ClockDomain> domains,
                    const Placements& placements, const Lines& lines, std::size_t number, std::int64_t zero_ns,
                    ClockModel model) {
  const std::span<const PlacedDomain> placed = placements.domains;
  const std::size_t reference = placements.reference;
  const ClockDomain& domain = domains[number];
  const PlacedDomain& place = placed[number];
  const long double reference_ns = lines[reference].inverse(static_cast<long double>(zero_ns));
  const long double local_ns = lines[number].inverse(static_cast<long double>(zero_ns));
  const std::int64_t between_bases = domains[reference].axis.base_monotonic_ns - domain.axis.base_monotonic_ns;

  ClockSummary row;
  row.domain = static_cast<std::uint32_t>(number);
  row.leader = metas[place.leader]->rank;
  row.clock = clock_name(domain.kind);
  row.model = model_name(number == reference, place, model);
  row.frequency_hz = static_cast<double>(1e9L / domain.axis.ns_per_tick);
  row.offset_s = static_cast<double>((static_cast<long double>(between_bases) + (reference_ns - local_ns)) * 1e-9L);
  row.drift_ppm = static_cast<double>(lines[number].drift) * kPpm;
  if (place.placement == Placement::root) return row;
  row.residual_s = place.fit.residual_ns * kSecondsPerNs;
  row.offset_error_s = place.offset_error_ns(placed, local_ns) * kSecondsPerNs;
  row.drift_error_ppm = place.drift_error * kPpm;
  row.rtt_min_s = place.fit.rtt_min_ns * kSecondsPerNs;
  row.rtt_median_s = place.fit.rtt_median_ns * kSecondsPerNs;
  row.exchanges = place.fit.used + place.fit.dropped + place.unusable;
  row.exchanges_dropped = place.fit.dropped + place.unusable;
  return row;
}

/// One row per host of the domain. The row of the leader's host shows the fit, the others are "shared".
void add_rows(std::span<const RankMeta* const> metas, const ClockDomain& domain, std::size_t leader,
              const ClockSummary& fitted, std::vector<ClockSummary>& table) {
  const std::size_t first_row = table.size();
  for (const std::size_t member : domain.members) {
    const std::string& host = metas[member]->hostname;
    auto row = std::find_if(table.begin() + static_cast<std::ptrdiff_t>(first_row), table.end(),
                            [&](const ClockSummary& known) { return known.host == host; });
    if (row == table.end()) {
      row = table.insert(table.end(), fitted);
      row->host = host;
      if (host != metas[leader]->hostname) row->model = "shared";
    }
    row->ranks.push_back(metas[member]->rank);
  }
}

std::vector<Finding> find_flaws(std::span<const RankMeta* const> metas, std::span<const ClockDomain> domains,
                                const Placements& placements, ClockModel model) {
  const std::span<const PlacedDomain> placed = placements.domains;
  Findings findings;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    const std::string& host = metas[placed[d].leader]->hostname;
    if (domains[d].is_rate_assumed) findings.add(FindingId::clock_rate_assumed, 1, host);
    if (model == ClockModel::none || bends(model)) continue;
    if (placed[d].root != placements.reference) findings.add(FindingId::clock_unsynchronised, 1, host);
    if (model != ClockModel::offset && placed[d].placement == Placement::exchanges && !placed[d].has_drift)
      findings.add(FindingId::clock_no_final_exchange, 1, host);
  }
  return findings.list();
}

/// Whether a host has the wanted name, with or without its domain name.
bool is_host(std::string_view host, std::string_view wanted) {
  return same_name(host, wanted) || same_name(host.substr(0, host.find('.')), wanted);
}

Error unknown_host(std::span<const RankMeta* const> metas, const std::string& wanted) {
  std::vector<std::string_view> hosts;
  for (const RankMeta* const meta : metas)
    if (std::ranges::find(hosts, meta->hostname) == hosts.end()) hosts.push_back(meta->hostname);
  std::string hint = "give a rank, or a host of the trace:";
  constexpr std::size_t kMostHosts = 8;
  for (std::size_t i = 0; i < hosts.size() && i < kMostHosts; ++i) hint.append(i == 0 ? " " : ", ").append(hosts[i]);
  if (hosts.size() > kMostHosts) hint += ", ...";
  if (const std::string_view near = nearest_name(wanted, hosts); !near.empty())
    hint = "did you mean '" + std::string{near} + "'?";
  return {Errc::invalid_argument, "cannot take '" + wanted + "' as the reference: no rank of the trace ran there",
          hint};
}

/// The domain of the wanted rank or host; the lowest if the host has several.
Result<std::optional<std::size_t>> find_reference(std::span<const RankMeta* const> metas,
                                                  std::span<const std::size_t> domain_of, const std::string& wanted) {
  if (wanted.empty() || wanted == "auto") return std::optional<std::size_t>{};
  const std::optional rank = number_in<std::int32_t>(wanted);
  for (std::size_t i = 0; rank && i < metas.size(); ++i)
    if (metas[i]->rank == *rank) return std::optional{domain_of[i]};
  for (std::size_t i = 0; i < metas.size(); ++i)
    if (is_host(metas[i]->hostname, wanted)) return std::optional{domain_of[i]};
  if (!rank) return unknown_host(metas, wanted);
  return Error{Errc::invalid_argument, "cannot take rank " + wanted + " as the reference: it has no file",
               "name a rank that the trace has"};
}

}  // namespace

Result<Clocks> fit_clocks(std::span<const RankMeta* const> metas, const ClockOptions& options) {
  if (metas.empty()) return Error{Errc::invalid_argument, "cannot fit clocks: there are no ranks", ""};

  std::vector<std::size_t> domain_of;
  const std::vector<ClockDomain> domains = find_domains(metas, options.parts, domain_of);
  MERIDIAN_TRY(const std::optional<std::size_t> wanted, find_reference(metas, domain_of, options.reference));
  const Placements placed = place_domains(metas, domains, domain_of, options, wanted);
  const Lines lines = lines_to_reference(domains, placed);

  std::vector<ClockMap> maps;
  std::int64_t zero_ns = INT64_MAX;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    maps.push_back(integer_map(domains[d].axis, lines[d]));
    zero_ns = std::min(zero_ns, maps[d].to_global(domains[d].first_ticks));
  }

  Clocks clocks;
  clocks.domains = static_cast<std::uint32_t>(domains.size());
  clocks.reference = static_cast<std::uint32_t>(placed.reference);
  clocks.origin_realtime_ns = domains[placed.reference].axis.base_realtime_ns + zero_ns;
  for (const std::size_t domain : domain_of) {
    clocks.maps.push_back(maps[domain].with_zero_at(zero_ns));
    clocks.domain_of.push_back(static_cast<std::uint32_t>(domain));
  }
  for (std::size_t d = 0; d < domains.size(); ++d) {
    const PlacedDomain& place = placed.domains[d];
    clocks.first_ticks.push_back(domains[d].first_ticks);
    clocks.tick_ns.push_back(domains[d].tick_ns);
    clocks.is_tied.push_back(place.root == placed.reference && place.has_drift);
    add_rows(metas, domains[d], place.leader, row_of(metas, domains, placed, lines, d, zero_ns, options.model),
             clocks.table);
  }
  clocks.findings = find_flaws(metas, domains, placed, options.model);
  return clocks;
}

}  // namespace meridian
