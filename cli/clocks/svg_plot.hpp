// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plots as inline SVG: axes with round numbers, lines, dots, bands, bars. Colours are classes of the page's style
// sheet.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace meridian {

/// Text from a trace in HTML: nothing of it is markup, and what a reader could not see is spelled out.
std::string html_text(std::string_view text);

struct PlotPoint {
  double x = 0;
  double y = 0;
};

/// What an axis measures, in base units; ticks are printed with a prefix that suits.
enum class PlotUnit { seconds, ppm, count };

struct PlotAxis {
  std::string label;
  PlotUnit unit = PlotUnit::count;
  bool is_log = false;
};

/// Draws what it was given into axes that hold all of it; values that are no number are left out. Memory and output
/// grow with the points given.
class SvgPlot {
 public:
  /// Lines, dots and bars take one of these; the rest repeats.
  static constexpr std::size_t kColours = 8;

  SvgPlot(std::string title, PlotAxis x, PlotAxis y) : title_{std::move(title)}, x_{std::move(x)}, y_{std::move(y)} {}

  void line(std::vector<PlotPoint> points, std::size_t colour, std::string name = {});
  void dots(std::vector<PlotPoint> points, std::size_t colour, std::string name = {});
  /// Between two lines over the same x: `points` has the lower ones from left to right, then the upper ones back.
  void band(std::vector<PlotPoint> points, std::size_t colour, std::string name = {});
  /// From x to the next bar's x (the last as wide as the one before), from the axis to y.
  void bars(std::vector<PlotPoint> points, std::size_t colour);
  /// A box from low to high at height `y`, a whisker from least to most, a mark at the middle.
  void box(double y, double least, double low, double middle, double high, double most, std::size_t colour);

  bool is_empty() const;
  /// Points drawn, for whoever checks the page.
  std::size_t size() const;
  std::string svg() const;

 private:
  enum class Kind { line, dots, band, bars, box };
  struct Series {
    Kind kind{};
    std::vector<PlotPoint> points;
    std::size_t colour = 0;
    std::string name;
  };
  struct Scale;
  void add(Kind kind, std::vector<PlotPoint> points, std::size_t colour, std::string name);
  Scale scale_of(const PlotAxis& axis, bool is_x) const;
  std::string shape(const Series& series, const Scale& x, const Scale& y) const;

  std::string title_;
  PlotAxis x_, y_;
  std::vector<Series> series_;
};

}  // namespace meridian
