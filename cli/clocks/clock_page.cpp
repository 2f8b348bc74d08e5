// SPDX-License-Identifier: Apache-2.0
// The clock report as a page.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/clocks/clock_view.hpp"
#include "cli/clocks/svg_plot.hpp"
#include "summary/clock_verdict.hpp"
#include "summary/units.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

constexpr std::size_t kDomainsInOnePlot = 32;
constexpr std::size_t kDomainsInDetail = 24;
constexpr std::size_t kRowsOfTable = 256;
constexpr std::size_t kPairsOfRoundTrips = 40;
constexpr std::size_t kDotsOfPlot = 6000;
constexpr std::size_t kBoundPoints = 400;  // of a domain

const char* const kStyle = R"(<style>
:root{color-scheme:light dark;--ink:#1d2430;--faint:#5d6673;--grid:#e3e6eb;--page:#fff;--row:#f5f6f8;
--c0:#2563eb;--c1:#c2410c;--c2:#15803d;--c3:#9333ea;--c4:#b45309;--c5:#0e7490;--c6:#be185d;--c7:#4d7c0f}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--faint:#9aa4b2;--grid:#2c333d;--page:#14181e;--row:#1b2027;
--c0:#7aa7ff;--c1:#fb923c;--c2:#4ade80;--c3:#c98bff;--c4:#fbbf24;--c5:#22d3ee;--c6:#f472b6;--c7:#a3e635}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin:2.2rem 0 .3rem}p{margin:.3rem 0 .8rem;max-width:46rem}
.faint,figcaption,summary{color:var(--faint)}.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;width:100%}
th{text-align:right;color:var(--faint);font-weight:500}td{text-align:right;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--grid);white-space:nowrap}th.name,td.name{text-align:left}
tr.chosen{background:var(--row);font-weight:600}figure{margin:.4rem 0 1rem}svg{width:100%;height:auto;display:block}
svg svg{overflow:hidden}svg text{font-size:11px;fill:var(--faint);text-anchor:middle}svg text.left{text-anchor:end}
.grid{stroke:var(--grid);fill:none}.line{fill:none;stroke-width:1.5}.dots{fill:none;stroke-width:3;stroke-linecap:round;opacity:.6}
.band{stroke:none;opacity:.18}.bars{stroke:none;opacity:.75}
.c0{stroke:var(--c0);color:var(--c0)}.c1{stroke:var(--c1);color:var(--c1)}.c2{stroke:var(--c2);color:var(--c2)}
.c3{stroke:var(--c3);color:var(--c3)}.c4{stroke:var(--c4);color:var(--c4)}.c5{stroke:var(--c5);color:var(--c5)}
.c6{stroke:var(--c6);color:var(--c6)}.c7{stroke:var(--c7);color:var(--c7)}.band,.bars{fill:currentColor;stroke:none}
.key{display:inline-block;width:.8em;height:.8em;border-radius:2px;background:currentColor;margin:0 .3em 0 .8em}
</style>
)";

std::string host_of(const ClockPageData& view, std::uint32_t domain) {
  if (domain < view.hosts.size() && !view.hosts[domain].empty()) return view.hosts[domain];
  return fmt::format("clock {}", domain);
}

std::string figure(const SvgPlot& plot, const std::string& caption) {
  if (plot.is_empty()) return "<p class=\"faint\">There are no samples.</p>\n";
  return fmt::format("<figure data-points=\"{}\">{}<figcaption>{}</figcaption></figure>\n", plot.size(), plot.svg(),
                     caption);
}

std::string key(std::size_t colour, std::string_view text) {
  return fmt::format("<span class=\"c{}\"><span class=\"key\"></span></span>{}", colour, html_text(text));
}

std::string section(const char* id, const char* title, const std::string& text, const std::string& content) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2><p>{}</p>\n{}</section>\n", id, title, text, content);
}

/// Domains except the reference, the ones with the widest bounds first.
std::vector<std::uint32_t> by_doubt(const ClockPageData& view) {
  std::vector<double> doubt(view.domains(), 0);
  for (const ClockSummary& clock : view.summary.clocks)
    doubt[clock.domain] = std::max(doubt[clock.domain], clock.t1_s >= 0 ? clock.t1_s : 1e9 + clock.residual_s);
  std::vector<std::uint32_t> domains;
  for (std::uint32_t h = 0; h < view.domains(); ++h)
    if (h != view.reference) domains.push_back(h);
  std::ranges::stable_sort(domains, [&](std::uint32_t a, std::uint32_t b) { return doubt[a] > doubt[b]; });
  return domains;
}

std::string how_many_shown(std::size_t shown, std::size_t all) {
  if (shown >= all) return {};
  return fmt::format(
      " The plot shows the {} of {} with the widest bounds; all are in the merged file, group <code>/clocks</code>.",
      shown, all);
}

std::vector<std::uint32_t> first_of(std::vector<std::uint32_t> domains, std::size_t most) {
  domains.resize(std::min(domains.size(), most));
  return domains;
}

std::string keys_of(const ClockPageData& view, const std::vector<std::uint32_t>& domains) {
  std::string text;
  for (std::size_t i = 0; i < domains.size() && i < SvgPlot::kColours; ++i) text += key(i, host_of(view, domains[i]));
  return domains.size() > SvgPlot::kColours ? text + " ... colours repeat; point at a line for its host" : text;
}

std::string verdict(const ClockPageData& view) {
  if (view.domains() < 2)
    return "All ranks read the same clock: it needs no correction, and all times can be compared exactly.";
  std::vector<double> t1, t2;
  for (const ClockSummary& clock : view.summary.clocks) {
    if (clock.domain == view.reference || clock.model == "shared") continue;
    if (clock.t1_s >= 0) t1.push_back(clock.t1_s);
    if (clock.t2_s >= 0) t2.push_back(clock.t2_s);
  }
  std::string text =
      fmt::format("{} clocks were corrected to that of {}. ", view.domains(), html_text(host_of(view, view.reference)));
  if (t1.empty()) return text + "This model gives no bounds for the error of the times.";
  std::ranges::sort(t1);
  std::ranges::sort(t2);
  text += fmt::format(
      "Half of the hosts are certain within {} (T1: causality and the rates of clocks), all but those that have no "
      "bound within {}.",
      human_duration(t1[t1.size() / 2]), human_duration(t1.back()));
  if (!t2.empty())
    text += fmt::format(" If smallest latencies vary by 20 % at most (T2): {} and {}.",
                        human_duration(t2[t2.size() / 2]), human_duration(t2.back()));
  return text;
}

std::string table(const ClockPageData& view) {
  std::string rows;
  const std::vector<ClockSummary>& clocks = view.summary.clocks;
  for (std::size_t i = 0; i < std::min(clocks.size(), kRowsOfTable); ++i) {
    const ClockSummary& clock = clocks[i];
    const bool has_pings = clock.exchanges > 0;
    const auto pings = [&](double value) { return has_pings ? human_duration(value) : "-"; };
    rows += fmt::format(
        "<tr{}><td class=\"name\">{}</td><td>{}</td><td class=\"name\">{}</td><td "
        "class=\"name\">{}</td><td>{:+.9f}</td>"
        "<td>{:+.4f}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        clock.model == "reference" ? " class=\"chosen\"" : "", html_text(clock.host), clock.ranks.size(),
        html_text(clock.clock), html_text(clock.model), clock.offset_s, clock.drift_ppm, pings(clock.residual_s),
        pings(clock.rtt_min_s), has_pings ? fmt::format("{}", clock.exchanges) : "-",
        clock.t1_s < 0 ? "-" : human_duration(clock.t1_s), clock.t2_s < 0 ? "-" : human_duration(clock.t2_s));
  }
  std::string text =
      "<div class=\"scroll\"><table><tr><th class=\"name\">host</th><th>ranks</th><th class=\"name\">clock</th><th "
      "class=\"name\">"
      "model</th><th>offset, s</th><th>drift, ppm</th><th>residual</th><th>RTT "
      "min</th><th>pings</th><th>T1</th><th>T2</th>"
      "</tr>\n" +
      rows + "</table></div>\n";
  if (clocks.size() > kRowsOfTable)
    text += fmt::format("<p>The merged file has {} more.</p>\n", clocks.size() - kRowsOfTable);
  return text;
}

std::string models(const ClockPageData& view) {
  std::string rows;
  std::uint64_t most = 1;
  for (const ClockModelSummary& model : view.summary.clock_models) most = std::max(most, model.reversed);
  for (const ClockModelSummary& model : view.summary.clock_models)
    rows += fmt::format(
        "<tr{}><td class=\"name\">{}</td><td>{}</td><td>{}</td><td class=\"name\"><svg viewBox=\"0 0 100 8\" "
        "style=\"width:8rem\"><path class=\"bars c1\" d=\"M0 0H{:.1f}V8H0Z\"/></svg></td><td>{}</td><td>{}</td></tr>\n",
        model.is_chosen ? " class=\"chosen\"" : "", html_text(model.name), model.messages, model.reversed,
        100 * static_cast<double>(model.reversed) / static_cast<double>(most),
        model.reversed == 0 ? "-" : human_duration(model.worst_s), human_duration(model.residual_s));
  std::string verdict = clock_verdict(view.summary);
  if (!verdict.empty()) verdict = "<p>In short: " + html_text(verdict) + ".</p>\n";
  return verdict + fmt::format(
                       "<table><tr><th "
                       "class=\"name\">model</th><th>messages</th><th>reversed</th><th></th><th>worst</"
                       "th><th>residual</th></tr>\n"
                       "{}</table><p>In the merged file: {} messages and collectives were out of order before events "
                       "were moved, {} are "
                       "after.</p>\n",
                       rows, view.summary.reversed_before, view.summary.reversed_after);
}

std::string drift(const ClockPageData& view) {
  const std::vector<std::uint32_t> all = by_doubt(view), domains = first_of(all, kDomainsInOnePlot);
  std::map<std::uint32_t, std::vector<PlotPoint>> corrections, drifts;
  for (const ClockFitPoint& point : view.report.fit) {
    corrections[point.domain].push_back({seconds(point.time_ns), point.correction_ns * kSecondsPerNs});
    drifts[point.domain].push_back({seconds(point.time_ns), point.drift_ppm});
  }
  SvgPlot correction{"correction over time", {"time", PlotUnit::seconds}, {"correction", PlotUnit::seconds}};
  SvgPlot rate{"drift over time", {"time", PlotUnit::seconds}, {"drift", PlotUnit::ppm}};
  for (std::size_t i = 0; i < domains.size(); ++i) {
    correction.line(corrections[domains[i]], i, host_of(view, domains[i]));
    rate.line(drifts[domains[i]], i, host_of(view, domains[i]));
  }
  return figure(correction, "The correction minus a straight line from start to end." +
                                how_many_shown(domains.size(), all.size())) +
         figure(rate, "Rate of the clock relative to the reference.") + "<p>" + keys_of(view, domains) + "</p>";
}

std::string bound_widths(const ClockPageData& view) {
  if (view.bounds.domains.empty()) return "<p class=\"faint\">This model gives no bounds.</p>\n";
  const std::vector<std::uint32_t> all = by_doubt(view), domains = first_of(all, kDomainsInOnePlot);
  SvgPlot plots[2] = {{"half width of T1", {"time", PlotUnit::seconds}, {"T1", PlotUnit::seconds, true}},
                      {"half width of T2", {"time", PlotUnit::seconds}, {"T2", PlotUnit::seconds, true}}};
  std::uint64_t knots = 0, uncertified = 0;
  for (std::size_t i = 0; i < domains.size() && domains[i] < view.bounds.domains.size(); ++i) {
    const std::vector<ClockBoundKnot>& own = view.bounds.domains[domains[i]];
    const std::size_t step = std::max<std::size_t>(1, own.size() / kBoundPoints);
    for (const std::size_t level : {0u, 1u}) {
      std::vector<PlotPoint> points;
      for (std::size_t k = 0; k < own.size(); k += step) {
        double widest = 0;  // maximum of the values that a point represents
        for (std::size_t q = k; q < std::min(k + step, own.size()); ++q)
          if (own[q].is_certified)
            widest = std::max(
                widest, (static_cast<double>(own[q].early_ns[level]) + static_cast<double>(own[q].late_ns[level])) / 2);
        if (widest > 0) points.push_back({seconds(own[k].time_ns), widest * kSecondsPerNs});
      }
      plots[level].line(std::move(points), i, host_of(view, domains[i]));
    }
  }
  for (const auto& own : view.bounds.domains)
    for (const ClockBoundKnot& knot : own) {
      ++knots;
      uncertified += !knot.is_certified;
    }
  return figure(plots[0], "T1: nothing is received before it is sent, and clocks keep their rates.") +
         figure(plots[1],
                "T2: also, smallest latencies vary by 20 % at most." + how_many_shown(domains.size(), all.size())) +
         fmt::format("<p>{} of {} knots are not certified: there is no bound around them.</p>\n", uncertified, knots);
}

std::vector<PlotPoint> thinned(std::vector<PlotPoint> points) {
  const std::size_t step = points.size() / kDotsOfPlot + 1;
  std::vector<PlotPoint> some;
  for (std::size_t i = 0; i < points.size(); i += step) some.push_back(points[i]);
  return some;
}

constexpr const char* kSampleNames[] = {"round trips", "received: at least", "sent: at most"};

/// Residuals or corrections of the samples, by kind; for one domain or for all.
std::array<std::vector<PlotPoint>, 3> samples_of(const ClockPageData& view, std::int64_t domain,
                                                 double ClockSamplePoint::*value) {
  std::array<std::vector<PlotPoint>, 3> points;
  for (const ClockSamplePoint& one : view.report.samples)
    if ((domain < 0 || one.domain == domain) && static_cast<std::size_t>(one.kind) < points.size())
      points[static_cast<std::size_t>(one.kind)].push_back({seconds(one.time_ns), one.*value * kSecondsPerNs});
  return points;
}

std::string kinds_key(std::size_t first = 0) {
  std::string text;
  for (std::size_t kind = first; kind < 3; ++kind) text += key(kind, kSampleNames[kind]);
  return text;
}

std::string residuals(const ClockPageData& view) {
  auto points = samples_of(view, -1, &ClockSamplePoint::residual_ns);
  SvgPlot plot{"residuals", {"time", PlotUnit::seconds}, {"residual", PlotUnit::seconds}};
  SvgPlot trips{"residuals of round trips", {"time", PlotUnit::seconds}, {"residual", PlotUnit::seconds}};
  trips.dots(thinned(points[0]), 0, kSampleNames[0]);
  for (const std::size_t kind : {1u, 2u}) plot.dots(thinned(std::move(points[kind])), kind, kSampleNames[kind]);
  return figure(trips, "The quickest ping-pong exchanges: difference between the two ends' times of the midpoint.") +
         figure(plot, "Messages: the fit (0) has to lie between the lower and the upper limits that they set." +
                          kinds_key(1));
}

std::string round_trips(const ClockPageData& view) {
  SvgPlot lengths{"lengths of round trips", {"length", PlotUnit::seconds, true}, {"round trips", PlotUnit::count}};
  std::vector<PlotPoint> bars;
  for (const RoundTripBin& bin : view.report.lengths)
    bars.push_back({bin.length_ns * kSecondsPerNs, static_cast<double>(bin.count)});
  lengths.bars(std::move(bars), 0);
  SvgPlot pairs{"round trips of pairs", {"length", PlotUnit::seconds, true}, {"pair", PlotUnit::count}};
  const std::vector<RoundTripRow>& rows = view.report.round_trips;
  const std::size_t shown = std::min(rows.size(), kPairsOfRoundTrips);
  for (std::size_t i = 0; i < shown; ++i)
    pairs.box(static_cast<double>(i), rows[i].min_ns * kSecondsPerNs, rows[i].p25_ns * kSecondsPerNs,
              rows[i].median_ns * kSecondsPerNs, rows[i].p75_ns * kSecondsPerNs, rows[i].p99_ns * kSecondsPerNs, i);
  return figure(lengths, "All pairs.") +
         figure(pairs, fmt::format("{} of {} pairs: least, quarter, half, three quarters, 99 %.", shown, rows.size()));
}

std::string loops(const ClockPageData& view) {
  SvgPlot plot{"loop closure",
               {"half of the smallest round trip", PlotUnit::seconds, true},
               {"direct less composed", PlotUnit::seconds}};
  std::vector<PlotPoint> lines, fits;
  for (const ClockLoop& loop : view.report.loops) {
    const double doubt = std::max(loop.doubt_ns, 1.0) * kSecondsPerNs;
    lines.push_back({doubt, loop.line_ns * kSecondsPerNs});
    fits.push_back({doubt, loop.fit_ns * kSecondsPerNs});
  }
  plot.dots(thinned(std::move(lines)), 1, "lines");
  plot.dots(thinned(std::move(fits)), 0, "as corrected");
  return figure(plot, key(1, "lines between start and end, composed along the path to the reference") +
                          key(0, "clocks as corrected"));
}

std::string domain_details(const ClockPageData& view) {
  const std::vector<std::uint32_t> all = by_doubt(view), domains = first_of(all, kDomainsInDetail);
  std::string text;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    SvgPlot plot{host_of(view, domains[i]), {"time", PlotUnit::seconds}, {"correction", PlotUnit::seconds}};
    auto points = samples_of(view, domains[i], &ClockSamplePoint::correction_ns);
    for (std::size_t kind = 0; kind < points.size(); ++kind) plot.dots(thinned(std::move(points[kind])), kind);
    std::vector<PlotPoint> line;
    for (const ClockFitPoint& point : view.report.fit)
      if (point.domain == domains[i]) line.push_back({seconds(point.time_ns), point.correction_ns * kSecondsPerNs});
    plot.line(std::move(line), 3, "fit");
    text += fmt::format("<details{}><summary>{}</summary>{}</details>\n", i < 2 ? " open" : "",
                        html_text(host_of(view, domains[i])), figure(plot, kinds_key() + key(3, "fit")));
  }
  return text + "<p>" + how_many_shown(domains.size(), all.size()) + "</p>";
}

}  // namespace

std::string clock_page(const ClockPageData& view) {
  const RunSummary& run = view.summary.run;
  std::string page =
      "<!DOCTYPE html>\n<!-- made by meridian clocks -->\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>Clocks</title>\n";
  page += kStyle;
  page += fmt::format(
      "</head><body><h1>Clocks of {}</h1><p class=\"faint\">{} ranks on {} hosts, {}, {}</p>\n<p "
      "id=\"verdict\">{}</p>\n",
      html_text(run.executable), run.ranks_present, run.hosts, human_time(run.begin_realtime_ns),
      human_duration(run.time_s), verdict(view));
  page += section("table", "Clocks", "global = local + offset at the start; offsets grow by the drift.", table(view));
  if (view.domains() >= 2) {
    page += section("models", "Models", "Effect of each model on the messages between hosts.", models(view));
    page += section("drift", "Drift", "Deviation of the clocks from straight lines.", drift(view));
    page += section("bounds", "Bounds", "Half of the interval that holds the true time.", bound_widths(view));
    page += section("residuals", "Residuals", "Corrections that the samples require, minus the fitted corrections.",
                    residuals(view));
    page += section("round-trips", "Round trips",
                    "No clock correction can observe an error below half of the smallest round trip time.",
                    round_trips(view));
    page += section(
        "loops", "Direct against composed",
        "Directly measured offset of each pair minus the offset by their two corrections; 0 if all loops close.",
        loops(view));
    page += section("domains", "Samples and fit", "Each clock against the line between start and end.",
                    domain_details(view));
  }
  return page + "</body></html>\n";
}

}  // namespace meridian
