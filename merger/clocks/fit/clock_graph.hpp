// SPDX-License-Identifier: Apache-2.0
#pragma once

// From ping-pong exchanges between pairs of domains to one line per domain.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "merger/clocks/fit/clock_domains.hpp"
#include "merger/clocks/fit/clock_regression.hpp"
#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

/// y = value + (x - at) * (1 + drift), in ns.
struct ClockLine {
  long double at = 0;
  long double value = 0;
  long double drift = 0;

  long double operator()(long double x) const { return value + (x - at) + (x - at) * drift; }
  long double inverse(long double y) const { return at + (y - value) / (1 + drift); }
};

/// x -> outer(inner(x)). Drifts must be composed, not added.
ClockLine compose(const ClockLine& outer, const ClockLine& inner);

/// The reason for a domain's position.
enum class Placement {
  root,       ///< the reference, or the lowest domain of a part of the graph without exchanges with it
  exchanges,  ///< by exchanges with `parent`
};

struct PlacedDomain {
  Placement placement{};
  std::size_t parent = 0;
  std::size_t root = 0;      ///< domain at the end of the path of parents; the reference if reachable
  ClockLine to_root;         ///< nominal ns since this domain's base -> nominal ns since the root's base
  LineFit fit;               ///< of the exchanges with the parent
  bool has_drift = false;    ///< every edge to the root has exchanges at both ends of the run
  double drift_error = 0;    ///< over all edges to the root, in quadrature
  std::size_t leader = 0;    ///< index of a rank that took part in exchanges; otherwise the lowest
  std::size_t unusable = 0;  ///< exchanges with the parent whose stamps are inconsistent

  /// Standard error of to_root at nominal time `at_ns` of this domain, over all edges to the root.
  double offset_error_ns(std::span<const PlacedDomain> all, long double at_ns) const;
};

struct Placements {
  std::size_t reference = 0;
  std::vector<PlacedDomain> domains;
};

/// Places every domain along the shortest path of exchanges to the reference: fewest edges without a measured drift,
/// then fewest edges, then quickest round trips. A part of the graph that the reference cannot reach gets its own root,
/// its lowest domain.
///
/// options    model: linear, hull and meridian use exchanges at start and end, regression uses all, offset only those
///            at the start (without drift), none uses none. confidence: share of the exchanges to use.
/// reference  empty: domain 0; for hull and meridian the domain from which the others are reached over the fewest
///            edges, the lowest if there are several.
Placements place_domains(std::span<const RankMeta* const> metas, std::span<const ClockDomain> domains,
                         std::span<const std::size_t> domain_of, const ClockOptions& options,
                         std::optional<std::size_t> reference);

}  // namespace meridian
