#include "merger/clocks/clock_refine.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "merger/clocks/clock_certificate.hpp"
#include "merger/clocks/clock_fit.hpp"
#include "merger/clocks/clock_hull.hpp"
#include "merger/clocks/clock_steps.hpp"
#include "merger/findings.hpp"

namespace meridian {
namespace {

constexpr double kSecondsPerNs = 1e-9;
constexpr double kPpm = 1e6;

/// Lines that messages alone can tell, for domains that round trips do not tie to the reference; zeros for the others.
std::vector<HullLine> first_lines(const Clocks& first, const ClockSamples& samples, bool is_hull) {
  std::vector<HullLine> lines(first.domains);
  bool is_complete = !is_hull;
  for (std::uint32_t h = 0; h < first.domains; ++h) {
    lines[h].is_placed = lines[h].is_two_way = h == first.reference || (!is_hull && first.is_tied[h]);
    is_complete &= lines[h].is_placed;
  }
  return is_complete ? lines : hull_lines(samples, lines);
}

ClockResidual residual_of(const std::vector<HullLine>& lines, const ClockSamples& samples) {
  const auto begin = static_cast<double>(samples.origin_ns());
  const double span = std::max(1.0, static_cast<double>(samples.end_ns()) - begin);
  ClockResidual residual{begin, span, lines.size(), 2, std::vector<double>(lines.size() * 2), {}};
  residual.jumps.resize(lines.size());
  for (std::size_t h = 0; h < lines.size(); ++h) {
    residual.knot(h, 0) = lines[h].offset_ns;
    residual.knot(h, 1) = lines[h].offset_ns + lines[h].slope * span;
  }
  return residual;
}

/// The sharpest bend of any clock: by how much its rate changes from one knot to the next.
double sharpest_bend(const ClockResidual& residual) {
  double sharpest = 0;
  for (std::size_t h = 0; h < residual.domains; ++h)
    for (std::size_t k = 1; k + 1 < residual.knots; ++k)
      sharpest =
          std::max(sharpest, std::abs(residual.knot(h, k - 1) - 2 * residual.knot(h, k) + residual.knot(h, k + 1)));
  return sharpest / residual.step_ns;
}

/// Where clocks without steps leave messages reversed, bend more than slewed ones do, or one seems to have been set,
/// steps are taken out of the first lines; not where that makes it worse.
ClockFitResult fit_around_steps(const ClockSamples& samples, const ClockResidual& lines,
                                const ClockFitSettings& settings) {
  constexpr double kSlewed = 25e-6, kSmoother = 4;
  ClockFitResult plain = fit_residual(samples, lines, settings);
  const bool is_in_order = plain.infeasible == 0 && !plain.residual.has_jumps();
  const double sharpest = sharpest_bend(plain.residual);
  ClockResidual stepped = lines;
  if ((is_in_order && sharpest <= kSlewed) || find_steps(samples, stepped, settings.reference) == 0) return plain;
  ClockFitResult around = fit_residual(samples, stepped, settings);
  const bool is_smoother = sharpest_bend(around.residual) <= kSmoother * sharpest;
  const bool is_better = around.infeasible <= plain.infeasible && (is_smoother || !is_in_order);
  return is_better ? std::move(around) : std::move(plain);
}

/// The map of a domain: its first line at every knot, and what the residual adds.
ClockMap bent_map(const ClockMap& line, const ClockResidual& residual, std::size_t domain) {
  std::vector<ClockMap::Point> points;
  const auto add = [&](double raw_ns, double shift_ns) {
    const std::uint64_t ticks = line.to_ticks(std::llround(raw_ns));
    const auto at = static_cast<double>(line.to_global(ticks));
    points.push_back({ticks, std::llround(at + shift_ns + residual.extended(domain, at + shift_ns))});
  };
  double shift = 0, begin = -HUGE_VAL;  // of the raw times with this shift
  auto jump = residual.jumps[domain].begin();
  for (std::size_t k = 0; k < residual.knots; ++k) {
    for (; jump != residual.jumps[domain].end(); ++jump) {
      // Forwards: evenly over the time that nobody has seen. Backwards there is none.
      const bool is_forwards = jump->last_before_ns < jump->first_after_ns;
      const double end = is_forwards ? jump->last_before_ns : jump->at_ns - 1;
      if (residual.knot_ns(k) - shift <= end) break;
      add(end, shift);
      shift -= jump->size_ns;
      begin = is_forwards ? jump->first_after_ns : jump->at_ns;
      add(begin, shift);
    }
    // A knot may lie in time that the clock has skipped or shown twice.
    if (const double raw = residual.knot_ns(k) - shift; raw > begin) add(raw, shift);
  }
  std::ranges::stable_sort(points, [&](const ClockMap::Point& a, const ClockMap::Point& b) {
    return static_cast<std::int64_t>(a.ticks - points.front().ticks) <
           static_cast<std::int64_t>(b.ticks - points.front().ticks);
  });
  return ClockMap::through(points, line);
}

ClockBounds bounds_of(const ClockResidual& residual, const ClockCertificate& certificate, std::int64_t zero_ns) {
  ClockBounds bounds;
  bounds.domains.resize(residual.domains);
  for (std::size_t h = 0; h < residual.domains; ++h)
    for (std::size_t k = 0; k < residual.knots; ++k) {
      const std::size_t i = h * residual.knots + k;
      ClockBoundKnot knot;
      knot.time_ns = std::llround(residual.knot_ns(k) + residual.knot(h, k)) - zero_ns;
      for (int level = 0; level < ClockCertificate::kLevels; ++level) {
        knot.early_ns[level] = certificate.early[level][i];
        knot.late_ns[level] = certificate.late[level][i];
      }
      knot.rate = certificate.rate[i];
      knot.is_certified =
          !certificate.is_broken[i] && std::isfinite(knot.early_ns[0]) && std::isfinite(knot.late_ns[0]);
      bounds.domains[h].push_back(knot);
    }
  return bounds;
}

/// Middle of the half-widths over a domain's certified knots within the run.
double median_half_width(const std::vector<ClockBoundKnot>& knots, int level, std::int64_t end_ns) {
  std::vector<double> widths;
  for (const ClockBoundKnot& knot : knots)
    if (knot.is_certified && knot.time_ns >= 0 && knot.time_ns <= end_ns)
      widths.push_back((static_cast<double>(knot.early_ns[level]) + static_cast<double>(knot.late_ns[level])) / 2);
  if (widths.empty()) return -1;
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  return *middle * kSecondsPerNs;
}

std::vector<std::string> hosts_of(const Clocks& clocks) {
  std::vector<std::string> hosts(clocks.domains);
  for (const ClockSummary& row : clocks.table)
    if (row.model != "shared" && hosts[row.domain].empty()) hosts[row.domain] = row.host;
  return hosts;
}

/// Knots at which a clock's rate changes by more than an oscillator's, and by more than the fit's own doubt.
std::uint64_t count_rate_changes(const ClockResidual& residual, std::size_t domain, double latency_ns) {
  const double least_ns = std::max(kSuddenRate * residual.step_ns, latency_ns / 2);
  std::uint64_t count = 0;
  for (std::size_t k = 1; k + 1 < residual.knots; ++k)
    count +=
        std::abs(residual.knot(domain, k - 1) - 2 * residual.knot(domain, k) + residual.knot(domain, k + 1)) > least_ns;
  return count;
}

std::vector<Finding> find_flaws(const Clocks& clocks, const std::vector<HullLine>& lines, const ClockResidual& residual,
                                const ClockBounds& bounds, std::int64_t end_ns, double latency_ns) {
  Findings findings;
  const std::vector<std::string> hosts = hosts_of(clocks);
  for (std::uint32_t h = 0; h < clocks.domains; ++h) {
    if (!lines[h].is_placed) findings.add(FindingId::clock_unsynchronised, 1, hosts[h]);
    if (!residual.jumps[h].empty()) findings.add(FindingId::clock_step, residual.jumps[h].size(), hosts[h]);
    if (bounds.domains.empty() || !lines[h].is_placed) continue;
    const std::uint64_t changes = count_rate_changes(residual, h, latency_ns);
    if (changes > 0 && residual.jumps[h].empty()) findings.add(FindingId::clock_rate_changed, changes, hosts[h]);
    const auto broken = std::ranges::count_if(bounds.domains[h], [&](const ClockBoundKnot& knot) {
      return !knot.is_certified && knot.time_ns >= 0 && knot.time_ns <= end_ns;
    });
    if (broken > 0) findings.add(FindingId::clock_uncertified, static_cast<std::uint64_t>(broken), hosts[h]);
  }
  return findings.list();
}

}  // namespace

Clocks refine_clocks(std::span<const RankMeta* const> metas, const Clocks& first, const ClockSamples& samples,
                     const ClockOptions& options, ClockResidual* made) {
  const bool is_hull = options.model == ClockModel::hull;
  const std::vector<HullLine> lines = first_lines(first, samples, is_hull);
  ClockResidual residual = residual_of(lines, samples);
  double latency_ns = 0;
  if (!is_hull) {
    ClockFitResult fit = fit_around_steps(samples, residual, {first.reference, options.segment_s * 1e9});
    residual = std::move(fit.residual);
    latency_ns = fit.latency_ns;
  }

  Clocks clocks = first;
  std::vector<ClockMap> maps(first.domains);
  std::vector<bool> is_made(first.domains, false);
  std::int64_t zero_ns = INT64_MAX;
  for (std::size_t i = 0; i < metas.size(); ++i) {
    const std::uint32_t h = first.domain_of[i];
    if (!is_made[h]) {
      maps[h] =
          h == first.reference && residual.jumps[h].empty() ? first.maps[i] : bent_map(first.maps[i], residual, h);
      zero_ns = std::min(zero_ns, maps[h].to_global(first.first_ticks[h]));
    }
    is_made[h] = true;
  }
  for (std::size_t i = 0; i < metas.size(); ++i) clocks.maps[i] = maps[first.domain_of[i]].with_zero_at(zero_ns);
  clocks.origin_realtime_ns += zero_ns;

  const std::int64_t end_ns = samples.end_ns() - zero_ns;
  if (!is_hull) {
    const ClockCertificate certificate = certify(samples, residual, first.reference, {.rho_ppm = options.rho_ppm});
    clocks.bounds = bounds_of(residual, certificate, zero_ns);
  }
  const double all_ns = std::max(1.0, static_cast<double>(samples.end_ns() - samples.begin_ns()));
  const auto begin = static_cast<double>(samples.begin_ns());
  for (ClockSummary& row : clocks.table) {
    const std::size_t h = row.domain;
    if (h != first.reference && row.model != "shared" && lines[h].is_placed) row.model = is_hull ? "hull" : "meridian";
    row.offset_s += residual.corrected(h, 0) * kSecondsPerNs;
    row.drift_ppm += (residual.extended(h, begin + all_ns) - residual.extended(h, begin)) / all_ns * kPpm;
    if (clocks.bounds.domains.empty()) continue;
    row.t1_s = median_half_width(clocks.bounds.domains[h], 0, end_ns);
    row.t2_s = median_half_width(clocks.bounds.domains[h], 1, end_ns);
  }
  const std::vector<Finding> flaws = find_flaws(first, lines, residual, clocks.bounds, end_ns, latency_ns);
  clocks.findings.insert(clocks.findings.end(), flaws.begin(), flaws.end());
  if (made != nullptr) *made = std::move(residual);
  return clocks;
}

}  // namespace meridian
