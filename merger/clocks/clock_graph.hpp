#pragma once

// From round trips between pairs of domains to one map per domain.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "merger/clocks/clock_domains.hpp"
#include "merger/clocks/clock_map.hpp"
#include "merger/clocks/clock_regression.hpp"
#include "trace/format/rank_file.hpp"

namespace meridian {

/// y = value + (x - at) * (1 + drift), in ns.
struct ClockLine {
  long double at = 0;
  long double value = 0;
  long double drift = 0;

  long double operator()(long double x) const { return value + (x - at) + (x - at) * drift; }
  long double inverse(long double y) const { return at + (y - value) / (1 + drift); }
};

/// x -> outer(inner(x)). Maps are composed; drifts are never added.
ClockLine compose(const ClockLine& outer, const ClockLine& inner);

/// How a domain came to its place.
enum class Placement {
  root,       ///< the reference, or the lowest one of a part of the graph that has no round trips to it
  exchanges,  ///< by round trips with `parent`
};

struct PlacedDomain {
  Placement placement{};
  std::size_t parent = 0;
  std::size_t root = 0;      ///< domain at the end of the path of parents; the reference if it can be reached
  ClockLine to_root;         ///< nominal ns since this domain's base -> nominal ns since the root's base
  LineFit fit;               ///< of the step to the parent
  bool has_drift = false;    ///< on every step to the root, round trips at both ends of the run were there to tell it
  double drift_error = 0;    ///< over all steps, in quadrature
  std::size_t leader = 0;    ///< index of a rank that took part in round trips; else the lowest
  std::size_t unusable = 0;  ///< round trips with the parent whose stamps contradict themselves

  /// Standard error of to_root at nominal time `at_ns` of this domain, over all steps.
  double offset_error_ns(std::span<const PlacedDomain> all, long double at_ns) const;
};

struct Placements {
  std::size_t reference = 0;
  std::vector<PlacedDomain> domains;
};

/// Places every domain on the shortest path of round trips to the reference: as few steps without a measured drift as
/// possible, then as few steps as possible, then the quickest round trips. A part of the graph that the reference
/// cannot reach gets its own root, its lowest domain.
///
/// options    model  linear and what begins with it: round trips at start and end; regression: all; offset: those at
///            the start alone, and no drift; none: nobody is reached. confidence  share of the round trips that counts.
/// reference  nothing: domain 0; for hull and meridian the domain from which the others are reached in the fewest
///            steps, the lowest of several.
Placements place_domains(std::span<const RankMeta* const> metas, std::span<const ClockDomain> domains,
                         std::span<const std::size_t> domain_of, const ClockOptions& options,
                         std::optional<std::size_t> reference);

}  // namespace meridian
