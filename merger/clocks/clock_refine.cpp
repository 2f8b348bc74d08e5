// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/clock_refine.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "merger/clocks/bounds/bound_widths.hpp"
#include "merger/clocks/bounds/clock_certificate.hpp"
#include "merger/clocks/fit/clock_choice.hpp"
#include "merger/clocks/fit/clock_fit.hpp"
#include "merger/clocks/fit/clock_hull.hpp"
#include "merger/clocks/steps/clock_steps.hpp"
#include "merger/clocks/steps/straight_steps.hpp"
#include "merger/model/clock_tuning.hpp"
#include "merger/model/findings.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/import_keys.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// Lines from messages for domains that ping-pong exchanges do not connect to the reference; zeros for the others.
std::vector<HullLine> first_lines(const Clocks& first, const ClockSamples& samples, bool is_hull) {
  std::vector<HullLine> lines(first.domains);
  bool is_complete = !is_hull;
  for (std::uint32_t h = 0; h < first.domains; ++h) {
    lines[h].is_placed = lines[h].is_two_way = h == first.reference || (!is_hull && first.is_tied[h]);
    is_complete &= lines[h].is_placed;
  }
  return is_complete ? lines : hull_lines(samples, lines);
}

ClockCorrection correction_of(const std::vector<HullLine>& lines, const ClockSamples& samples) {
  const auto begin = static_cast<double>(samples.origin_ns());
  const double span = std::max(1.0, static_cast<double>(samples.end_ns()) - begin);
  ClockCorrection correction{begin, span, lines.size(), 2, std::vector<double>(lines.size() * 2), {}};
  correction.steps.resize(lines.size());
  for (std::size_t h = 0; h < lines.size(); ++h) {
    correction.knot(h, 0) = lines[h].offset_ns;
    correction.knot(h, 1) = lines[h].offset_ns + lines[h].slope * span;
  }
  return correction;
}

bool is_smooth(const ClockFitResult& fit, bool may_slew) {
  const double most = may_slew ? ClockTuning::kSlewed : ClockTuning::kSuddenRate;
  return fit.infeasible == 0 && fit.correction.sharpest_bend() <= most;
}

/// Fits without clock steps first. If messages are still reversed, or a clock bends more than it can, steps are removed
/// from the first lines, found in windows or else by constant rates, and the fit is repeated; the best fit is returned.
/// drifts  [domain]: of the first lines from the clocks' own ticks
ClockFitResult fit_around_steps(const ClockSamples& samples, const ClockCorrection& lines,
                                const ClockFitSettings& settings, std::span<const double> drifts) {
  ClockFitResult best = fit_correction(samples, lines, settings);
  const bool is_possible = settings.may_slew || have_rates_of_oscillators(drifts);
  if (is_possible && is_smooth(best, settings.may_slew) && !best.correction.has_steps()) return best;
  if (ClockCorrection stepped = lines; find_steps(samples, stepped, settings.reference) > 0) {
    ClockFitResult around = fit_correction(samples, stepped, settings);
    const bool is_in_order = best.infeasible == 0 && !best.correction.has_steps();
    const bool is_smoother =
        around.correction.sharpest_bend() <= ClockTuning::kSmoother * best.correction.sharpest_bend();
    if (around.infeasible <= best.infeasible && (is_smoother || !is_in_order)) best = std::move(around);
  }
  if (is_smooth(best, settings.may_slew) && (is_possible || best.correction.has_steps())) return best;
  if (ClockCorrection stepped = lines; find_straight_steps(samples, stepped, settings.reference, drifts) > 0) {
    ClockFitResult around = fit_correction(samples, stepped, settings);
    const bool is_smoother = around.correction.sharpest_bend() < best.correction.sharpest_bend();
    const bool is_explained = is_possible || best.correction.has_steps();
    if (around.infeasible < best.infeasible || (around.infeasible == best.infeasible && (is_smoother || !is_explained)))
      best = std::move(around);
  }
  if (!is_possible && !best.correction.has_steps()) doubt_rates(drifts, settings.reference, best.correction);
  return best;
}

std::string name_of(ClockShape shape) {
  switch (shape) {
    case ClockShape::offsets:
      return "offsets";
    case ClockShape::lines:
      return "lines";
    case ClockShape::bends:
      break;
  }
  return "bends";
}

/// [domain]: the drifts of the first lines from the clocks' own ticks.
std::vector<double> drifts_of(const Clocks& first) {
  std::vector<double> drifts(first.domains, 0);
  for (const ClockSummary& row : first.table) drifts[row.domain] = row.drift_ppm * kOnePpm;
  return drifts;
}

/// Whether exchanges at both ends of the run contradict clocks at constant distances of their own ticks. A short run may have no other
/// evidence: its messages cover too little time to show a drift.
bool is_drift_certain(const Clocks& first) {
  return std::ranges::any_of(first.table, [&](const ClockSummary& row) {
    const double doubt_ppm = row.drift_error_ppm;  // 0: too few exchanges
    return first.is_tied[row.domain] && doubt_ppm > 0 && std::abs(row.drift_ppm) > ClockTuning::kConvincing * doubt_ppm;
  });
}

/// Whether the system of some host may slew its clock. Processors' counters and CLOCK_MONOTONIC_RAW are not slewed; which clock another
/// tracer read is not known.
bool may_slew(std::span<const RankMeta* const> metas) {
  return std::ranges::any_of(metas, [](const RankMeta* meta) {
    const bool is_steady = meta->clock == ClockKind::tsc || meta->clock == ClockKind::monotonic_raw;
    return !is_steady || std::ranges::find(meta->texts, kImportedKey, &TextRow::key) != meta->texts.end();
  });
}

/// The last tick that a line maps to `ns` or earlier.
std::uint64_t last_tick(const ClockMap& line, double ns) { return line.to_ticks(std::llround(ns) + 1) - 1; }

/// The map of a domain: its first line plus the correction, at every knot.
ClockMap bent_map(const ClockMap& line, const ClockCorrection& correction, std::size_t domain) {
  std::vector<ClockMap::Point> points;
  const auto add_at = [&](std::uint64_t ticks, double shift_ns) {
    const auto at = static_cast<double>(line.to_global(ticks));
    points.push_back({ticks, std::llround(at + shift_ns + correction.extended(domain, at + shift_ns))});
  };
  const auto add = [&](double raw_ns, double shift_ns) { add_at(line.to_ticks(std::llround(raw_ns)), shift_ns); };
  double shift = 0, begin = -HUGE_VAL;  // shift of the present raw times, and their begin
  auto step = correction.steps[domain].begin();
  for (std::size_t k = 0; k < correction.knots; ++k) {
    for (; step != correction.steps[domain].end(); ++step) {
      // A step forwards is spread evenly over the time without stamps. A step backwards has no such time.
      const bool is_forwards = step->last_before_ns < step->first_after_ns;
      const double end = step->is_placed ? step->until_ns : is_forwards ? step->last_before_ns : step->at_ns - 1;
      if (correction.knot_ns(k) - shift <= end) break;
      add_at(step->is_placed ? last_tick(line, end) : line.to_ticks(std::llround(end)), shift);
      shift -= step->size_ns;
      begin = step->is_placed ? step->from_ns : is_forwards ? step->first_after_ns : step->at_ns;
      add(begin, shift);
    }
    // A knot may be in time that the clock skipped or showed twice.
    if (const double raw = correction.knot_ns(k) - shift; raw > begin) add(raw, shift);
  }
  std::ranges::stable_sort(points, [&](const ClockMap::Point& a, const ClockMap::Point& b) {
    return static_cast<std::int64_t>(a.ticks - points.front().ticks) <
           static_cast<std::int64_t>(b.ticks - points.front().ticks);
  });
  return ClockMap::through(points, line);
}

/// The stretches of a domain's map that span steps.
std::vector<ClockJump> jumps_of(const ClockMap& line, const ClockMap& map, const std::vector<ClockStep>& steps) {
  std::vector<ClockJump> jumps;
  for (const ClockStep& step : steps)
    if (step.is_placed)
      jumps.push_back({map.to_global(last_tick(line, step.until_ns)),
                       map.to_global(line.to_ticks(std::llround(step.from_ns))),
                       std::llround(std::max(0.0, step.from_ns - step.until_ns - std::max(0.0, step.size_ns)))});
  return jumps;
}

ClockBounds bounds_of(const ClockCorrection& correction, const ClockCertificate& certificate, std::int64_t zero_ns) {
  ClockBounds bounds;
  bounds.domains.resize(correction.domains);
  for (std::size_t h = 0; h < correction.domains; ++h)
    for (std::size_t k = 0; k < correction.knots; ++k) {
      const std::size_t i = h * correction.knots + k;
      ClockBoundKnot knot;
      knot.time_ns = std::llround(correction.knot_ns(k) + correction.knot(h, k)) - zero_ns;
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

std::vector<std::string> hosts_of(const Clocks& clocks) {
  std::vector<std::string> hosts(clocks.domains);
  for (const ClockSummary& row : clocks.table)
    if (row.model != "shared" && hosts[row.domain].empty()) hosts[row.domain] = row.host;
  return hosts;
}

/// Number of knots at which a clock's rate changes by more than an oscillator's, and by more than the fit's
/// uncertainty.
std::uint64_t count_rate_changes(const ClockCorrection& correction, std::size_t domain, double latency_ns) {
  const double least_ns =
      std::max(ClockTuning::kSuddenRate * correction.spacing_ns, latency_ns * ClockTuning::kRateChangeLatencies);
  std::uint64_t count = 0;
  for (std::size_t k = 1; k + 1 < correction.knots; ++k) count += correction.bend_ns(domain, k) > least_ns;
  return count;
}

std::vector<Finding> find_flaws(const Clocks& clocks, const std::vector<HullLine>& lines,
                                const ClockCorrection& correction, const ClockCorrection& bent,
                                const ClockBounds& bounds, const std::vector<bool>& has_slews, std::int64_t end_ns,
                                double latency_ns) {
  Findings findings;
  const std::vector<std::string> hosts = hosts_of(clocks);
  for (std::uint32_t h = 0; h < clocks.domains; ++h) {
    if (!lines[h].is_placed) findings.add(FindingId::clock_unsynchronised, 1, hosts[h]);
    if (!correction.steps[h].empty()) findings.add(FindingId::clock_step, correction.steps[h].size(), hosts[h]);
    if (bounds.domains.empty() || !lines[h].is_placed) continue;
    const std::uint64_t changes = std::max<std::uint64_t>(count_rate_changes(bent, h, latency_ns), has_slews[h]);
    if (changes > 0 && correction.steps[h].empty()) findings.add(FindingId::clock_rate_changed, changes, hosts[h]);
    const auto broken = std::ranges::count_if(bounds.domains[h], [&](const ClockBoundKnot& knot) {
      return !knot.is_certified && knot.time_ns >= 0 && knot.time_ns <= end_ns;
    });
    if (broken > 0) findings.add(FindingId::clock_uncertified, static_cast<std::uint64_t>(broken), hosts[h]);
  }
  return findings.list();
}

}  // namespace

Clocks refine_clocks(std::span<const RankMeta* const> metas, const Clocks& first, const ClockSamples& samples,
                     const ClockOptions& options, ClockCorrection* made, const StepPlacer& place) {
  const bool is_hull = options.model == ClockModel::hull;
  const bool may_be_slewed = may_slew(metas);
  const std::vector<HullLine> lines = first_lines(first, samples, is_hull);
  ClockCorrection correction = correction_of(lines, samples);
  ClockCorrection bent;  // where the rates of the clocks changed
  double latency_ns = 0;
  ClockVerdict verdict;
  if (!is_hull) {
    ClockFitSettings settings{first.reference, options.segment_s * kNsPerSecond};
    settings.may_slew = may_be_slewed;
    const std::vector<double> drifts = drifts_of(first);
    ClockFitResult fit = fit_around_steps(samples, correction, settings, drifts);
    const auto is_known = [](const HullLine& line) { return line.is_placed && line.is_two_way; };
    bent = fit.correction;
    if (std::ranges::all_of(lines, is_known)) {
      const ClockChoice choice =
          choose_shape(samples, correction, is_drift_certain(first) ? std::vector<double>{} : drifts, settings, fit);
      verdict = {name_of(choice.shape), choice.bends_ns, choice.lines_ns};
      if (choice.shape != ClockShape::bends && fit.infeasible == 0) bent = fit.correction;  // nothing contradicts them
    }
    correction = std::move(fit.correction);
    latency_ns = fit.latency_ns;
    if (place && correction.has_steps()) place(correction);
  }

  Clocks clocks = first;
  clocks.verdict = std::move(verdict);
  std::vector<ClockMap> maps(first.domains);
  std::vector<bool> is_made(first.domains, false);
  std::int64_t zero_ns = INT64_MAX;
  for (std::size_t i = 0; i < metas.size(); ++i) {
    const std::uint32_t h = first.domain_of[i];
    if (!is_made[h]) {
      maps[h] =
          h == first.reference && correction.steps[h].empty() ? first.maps[i] : bent_map(first.maps[i], correction, h);
      zero_ns = std::min(zero_ns, maps[h].to_global(first.first_ticks[h]));
    }
    is_made[h] = true;
  }
  clocks.jumps.resize(first.domains);
  for (std::size_t i = 0; i < metas.size(); ++i) {
    const std::uint32_t h = first.domain_of[i];
    clocks.maps[i] = maps[h].with_zero_at(zero_ns);
    clocks.jumps[h] = jumps_of(first.maps[i], clocks.maps[i], correction.steps[h]);
  }
  clocks.origin_realtime_ns += zero_ns;

  const std::int64_t end_ns = samples.end_ns() - zero_ns;
  ClockCertificate certificate;
  if (!is_hull) {
    certificate = certify(samples, correction, first.reference,
                          {.rho_ppm = options.rho_ppm, .tick_ns = first.tick_ns, .may_slew = may_be_slewed});
    clocks.bounds = bounds_of(correction, certificate, zero_ns);
  }
  const double all_ns = std::max(1.0, static_cast<double>(samples.end_ns() - samples.begin_ns()));
  const auto begin = static_cast<double>(samples.begin_ns());
  for (ClockSummary& row : clocks.table) {
    const std::size_t h = row.domain;
    if (h != first.reference && row.model != "shared" && lines[h].is_placed) row.model = is_hull ? "hull" : "meridian";
    row.offset_s += correction.corrected(h, 0) * kSecondsPerNs;
    row.drift_ppm += (correction.extended(h, begin + all_ns) - correction.extended(h, begin)) / all_ns * kPpm;
  }
  clocks.end_ns = end_ns;
  set_bound_widths(clocks);
  const std::vector<Finding> flaws =
      find_flaws(first, lines, correction, bent, clocks.bounds, certificate.has_slews, end_ns, latency_ns);
  clocks.findings.insert(clocks.findings.end(), flaws.begin(), flaws.end());
  if (made != nullptr) *made = std::move(correction);
  return clocks;
}

}  // namespace meridian
