// SPDX-License-Identifier: Apache-2.0
#pragma once

// The figures of a run that have a name: in comparisons, and in the conditions of --fail-if.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "summary/summary.hpp"

namespace meridian {

enum class FigureUnit : std::uint8_t { count, seconds, bytes, share, hertz, joules, watts };

/// "s", "bytes", "Hz", "J", "W"; empty for counts and shares.
std::string_view unit_name(FigureUnit unit);

struct Figure {
  std::string_view name;
  FigureUnit unit{};
  std::string_view text;            ///< the meaning
  double (*value)(const Summary&);  ///< NaN: the run does not have it
  bool is_always_compared = false;  ///< in the text even if it is the same
};

/// All of them, in the order of output.
std::span<const Figure> figures();

/// Figures of an object that the condition names: "seconds:MPI_Send".
struct FigureFamily {
  std::string_view name;    ///< "seconds"
  std::string_view object;  ///< "FUNCTION"
  FigureUnit unit{};
  std::string_view text;
};
std::span<const FigureFamily> figure_families();

/// The unit of a figure, or of one of an object such as seconds:MPI_Send; nothing: there is no such figure.
std::optional<FigureUnit> unit_of_figure(std::string_view name);

/// The efficiencies of the whole run; null: the trace has none.
const EfficiencySummary* run_efficiency(const Summary& summary);

}  // namespace meridian
