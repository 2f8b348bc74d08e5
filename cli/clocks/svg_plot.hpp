// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plots as inline SVG: axes with round numbers, lines, dots, bands, bars. Colours are classes of the page's style
// sheet.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace meridian {

/// Text from a trace, escaped for HTML; invisible characters are written as escapes.
std::string html_text(std::string_view text);

struct PlotPoint {
  double x = 0;
  double y = 0;
};

/// The quantity of an axis, in base units; tick labels use a suitable prefix.
enum class PlotUnit { seconds, ppm, count };

struct PlotAxis {
  std::string label;
  PlotUnit unit = PlotUnit::count;
  bool is_log = false;
};

/// Draws its data into axes that hold all of it; values that are not numbers are omitted. Memory and output grow with
/// the number of points.
class SvgPlot {
 public:
  /// Lines, dots and bars take one of these colours; beyond them colours repeat.
  static constexpr std::size_t kColours = 8;

  SvgPlot(std::string title, PlotAxis x, PlotAxis y) : title_{std::move(title)}, x_{std::move(x)}, y_{std::move(y)} {}

  void line(std::vector<PlotPoint> points, std::size_t colour, std::string name = {});
  void dots(std::vector<PlotPoint> points, std::size_t colour, std::string name = {});
  /// Fills the area between two lines over the same x: `points` holds the lower line from left to right, then the upper
  /// one from right to left.
  void band(std::vector<PlotPoint> points, std::size_t colour, std::string name = {});
  /// Draws bars from the axis to y, each from x to the next bar's x (the last as wide as the one before).
  void bars(std::vector<PlotPoint> points, std::size_t colour);
  /// Draws a box from low to high at height `y`, a whisker from least to most, and a mark at the middle.
  void box(double y, double least, double low, double middle, double high, double most, std::size_t colour);

  bool is_empty() const;
  /// Number of points drawn, for tests.
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
