// SPDX-License-Identifier: Apache-2.0
#include "cli/clocks/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "cli/summary/printable.hpp"

namespace meridian {
namespace {

constexpr double kWidth = 760, kHeight = 250;  // of the whole picture, in its own units
constexpr double kLeft = 74, kRight = 14, kTop = 10, kBottom = 42;
constexpr double kInnerWidth = kWidth - kLeft - kRight, kInnerHeight = kHeight - kTop - kBottom;
constexpr double kMargin = 0.04;  // of the range, so that no point lies on the frame
constexpr int kTicks = 6;
constexpr double kLeastOfLog = 1e-12;
constexpr double kDecadesInDetail = 2;  // of a logarithmic axis
constexpr double kBoxHeight = 0.3;      // half of it, of a row

bool is_number(const PlotPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

struct Prefix {
  double factor;
  const char* unit;
};

/// The prefix for values up to `largest`.
Prefix prefix_of(PlotUnit unit, double largest) {
  if (unit == PlotUnit::ppm) return {1, "ppm"};
  if (unit == PlotUnit::count) return {1, ""};
  if (largest < 2e-6) return {1e9, "ns"};
  if (largest < 2e-3) return {1e6, "us"};
  if (largest < 2) return {1e3, "ms"};
  return {1, "s"};
}

double round_step(double range) {
  const double rough = range / kTicks, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// Maps values to positions between 0 and 1, and places the ticks.
struct SvgPlot::Scale {
  double low = 0, high = 1;
  bool is_log = false;
  Prefix prefix{1, ""};

  double place(double value) const {
    const double v = is_log ? std::log10(std::max(value, kLeastOfLog)) : value;
    return (v - low) / (high - low);
  }
  /// Values and their labels.
  std::vector<std::pair<double, std::string>> ticks(PlotUnit unit) const {
    std::vector<std::pair<double, std::string>> all;
    if (is_log) {
      for (double decade = std::floor(low); decade <= high && all.size() < 2 * kTicks; ++decade)
        for (const double factor : {1.0, 2.0, 5.0}) {
          const double value = factor * std::pow(10, decade);
          const bool is_shown = factor == 1 || high - low < kDecadesInDetail;
          if (!is_shown || std::log10(value) < low || std::log10(value) > high) continue;
          const Prefix own = prefix_of(unit, value);
          all.emplace_back(value, fmt::format("{:.3g} {}", value * own.factor, own.unit));
        }
      return all;
    }
    const double step = round_step((high - low) * prefix.factor);
    for (double tick = std::ceil(low * prefix.factor / step) * step;
         tick <= high * prefix.factor && all.size() < 2 * kTicks; tick += step)
      all.emplace_back(tick / prefix.factor, fmt::format("{:.6g}", std::abs(tick) < step / 1e6 ? 0 : tick));
    return all;
  }
};

void SvgPlot::add(Kind kind, std::vector<PlotPoint> points, std::size_t colour, std::string name) {
  std::erase_if(points, [](const PlotPoint& point) { return !is_number(point); });
  if (!points.empty()) series_.push_back({kind, std::move(points), colour % kColours, std::move(name)});
}

void SvgPlot::line(std::vector<PlotPoint> points, std::size_t colour, std::string name) {
  add(Kind::line, std::move(points), colour, std::move(name));
}
void SvgPlot::dots(std::vector<PlotPoint> points, std::size_t colour, std::string name) {
  add(Kind::dots, std::move(points), colour, std::move(name));
}
void SvgPlot::band(std::vector<PlotPoint> points, std::size_t colour, std::string name) {
  add(Kind::band, std::move(points), colour, std::move(name));
}
void SvgPlot::bars(std::vector<PlotPoint> points, std::size_t colour) {
  add(Kind::bars, std::move(points), colour, {});
}
void SvgPlot::box(double y, double least, double low, double middle, double high, double most, std::size_t colour) {
  add(Kind::box, {{least, y}, {low, y}, {middle, y}, {high, y}, {most, y}}, colour, {});
}

bool SvgPlot::is_empty() const { return series_.empty(); }

std::size_t SvgPlot::size() const {
  std::size_t points = 0;
  for (const Series& one : series_) points += one.points.size();
  return points;
}

SvgPlot::Scale SvgPlot::scale_of(const PlotAxis& axis, bool is_x) const {
  Scale scale;
  scale.is_log = axis.is_log;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& one : series_)
    for (const PlotPoint& point : one.points) {
      const double value = is_x ? point.x : point.y;
      const double v = axis.is_log ? std::log10(std::max(value, kLeastOfLog)) : value;
      low = std::min(low, v);
      high = std::max(high, v);
      if (one.kind == Kind::bars && !is_x) low = std::min(low, axis.is_log ? v : 0.0);
      if (one.kind == Kind::box && !is_x) {
        low = std::min(low, value - 2 * kBoxHeight);
        high = std::max(high, value + 2 * kBoxHeight);
      }
    }
  const double least = axis.is_log ? 0.1 : std::max(std::abs(low), std::abs(high)) * 1e-9 + 1e-12;
  const double margin = std::max((high - low) * kMargin, least);
  scale.low = low - margin;
  scale.high = high + margin;
  scale.prefix = prefix_of(axis.unit, std::max(std::abs(low), std::abs(high)));
  return scale;
}

std::string SvgPlot::shape(const Series& series, const Scale& x, const Scale& y) const {
  std::string path;
  const auto out = std::back_inserter(path);
  const auto at_x = [&](double value) { return x.place(value) * kInnerWidth; };
  const auto at_y = [&](double value) { return (1 - y.place(value)) * kInnerHeight; };
  const std::vector<PlotPoint>& points = series.points;
  const auto title = series.name.empty() ? std::string{} : fmt::format("<title>{}</title>", html_text(series.name));
  switch (series.kind) {
    case Kind::line:
    case Kind::band:
      for (std::size_t i = 0; i < points.size(); ++i)
        fmt::format_to(out, "{}{:.1f} {:.1f}", i == 0 ? "M" : "L", at_x(points[i].x), at_y(points[i].y));
      return fmt::format("<path class=\"{} c{}\" d=\"{}{}\">{}</path>\n", series.kind == Kind::line ? "line" : "band",
                         series.colour, path, series.kind == Kind::band ? "Z" : "", title);
    case Kind::dots:
      for (const PlotPoint& point : points) fmt::format_to(out, "M{:.1f} {:.1f}h0", at_x(point.x), at_y(point.y));
      return fmt::format("<path class=\"dots c{}\" d=\"{}\">{}</path>\n", series.colour, path, title);
    case Kind::bars:
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double left = at_x(points[i].x);
        const double right = i + 1 < points.size() ? at_x(points[i + 1].x) : left + 6;
        fmt::format_to(out, "M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}Z", left, kInnerHeight, at_y(points[i].y),
                       std::max(left + .5, right - 1), kInnerHeight);
      }
      return fmt::format("<path class=\"bars c{}\" d=\"{}\"/>\n", series.colour, path);
    case Kind::box: {
      if (points.size() != 5) return {};
      const double middle = at_y(points[0].y), top = at_y(points[0].y + kBoxHeight),
                   bottom = at_y(points[0].y - kBoxHeight);
      return fmt::format(
          "<path class=\"line c{0}\" d=\"M{1:.1f} {2:.1f}H{3:.1f}M{4:.1f} {5:.1f}V{6:.1f}\"/>"
          "<path class=\"bars c{0}\" d=\"M{7:.1f} {5:.1f}H{8:.1f}V{6:.1f}H{7:.1f}Z\"/>\n",
          series.colour, at_x(points[0].x), middle, at_x(points[4].x), at_x(points[2].x), top, bottom,
          at_x(points[1].x), std::max(at_x(points[3].x), at_x(points[1].x) + 1));
    }
  }
  return {};
}

std::string SvgPlot::svg() const {
  if (is_empty()) return {};
  const Scale x = scale_of(x_, true), y = scale_of(y_, false);
  const auto label = [](const PlotAxis& axis, const Scale& scale) {
    const bool has_unit = !axis.is_log && *scale.prefix.unit != '\0';
    return html_text(has_unit ? fmt::format("{}, {}", axis.label, scale.prefix.unit) : axis.label);
  };
  std::string svg = fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\"><title>{}</title>\n", kWidth, kHeight,
                                html_text(title_));
  for (const auto& [value, text] : x.ticks(x_.unit)) {
    const double at = kLeft + x.place(value) * kInnerWidth;
    svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:g}V{2:g}\"/><text x=\"{0:.1f}\" y=\"{3:g}\">{4}</text>\n",
                       at, kTop, kHeight - kBottom, kHeight - kBottom + 15, text);
  }
  for (const auto& [value, text] : y.ticks(y_.unit)) {
    const double at = kTop + (1 - y.place(value)) * kInnerHeight;
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:g} {1:.1f}H{2:g}\"/><text class=\"left\" x=\"{3:g}\" y=\"{4:.1f}\">{5}</text>\n",
        kLeft, at, kWidth - kRight, kLeft - 6, at + 4, text);
  }
  svg += fmt::format(
      "<text x=\"{:g}\" y=\"{:g}\">{}</text><text x=\"{:g}\" y=\"14\" transform=\"rotate(-90)\">{}</text>\n",
      kLeft + kInnerWidth / 2, kHeight - 6, label(x_, x), -(kTop + kInnerHeight / 2), label(y_, y));
  svg += fmt::format("<svg x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\">\n", kLeft, kTop, kInnerWidth,
                     kInnerHeight);  // clips everything outside
  for (const Series& one : series_) svg += shape(one, x, y);
  return svg + "</svg></svg>\n";
}

}  // namespace meridian
