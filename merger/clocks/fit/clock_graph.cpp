// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "merger/clocks/samples/shortest_paths.hpp"

namespace meridian {
namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

/// The result of a ping-pong exchange: both clocks at one moment.
struct Midpoint {
  long double low_ns = 0;   ///< domain with the lower number
  long double high_ns = 0;  ///< the other one
  long double rtt_ns = 0;
  AnchorPhase phase{};
};

struct Edge {
  std::size_t low = 0;
  std::size_t high = 0;
  std::vector<Midpoint> midpoints;
  std::size_t unusable = 0;
  bool spans_run = false;  ///< there are exchanges at start and finish
  double rtt_min_ns = 0;

  std::size_t other(std::size_t domain) const { return domain == low ? high : low; }
};

bool has_phase(const Edge& edge, AnchorPhase phase) {
  return std::any_of(edge.midpoints.begin(), edge.midpoints.end(), [&](const Midpoint& m) { return m.phase == phase; });
}

/// Keeps the exchanges that the model uses: start and finish, only the start, or all; if there are none, any others.
void select_phases(Edge& edge, ClockModel model) {
  const bool has_start = has_phase(edge, AnchorPhase::start);
  const bool has_finish = has_phase(edge, AnchorPhase::finish);
  const bool has_drift = model != ClockModel::offset;
  edge.spans_run = has_start && has_finish && has_drift;
  if (model == ClockModel::regression && has_phase(edge, AnchorPhase::epoch)) {
    edge.spans_run = has_start || has_finish;
    return;
  }
  if (!has_start && !has_finish) return;
  const bool wants_finish = has_drift || !has_start;
  std::erase_if(edge.midpoints, [&](const Midpoint& m) {
    return m.phase == AnchorPhase::epoch || (m.phase == AnchorPhase::finish && !wants_finish);
  });
}

/// Every pair of domains with usable exchanges. `leaders` receives a rank of each domain that took part in one.
std::vector<Edge> find_edges(std::span<const RankMeta* const> metas, std::span<const ClockDomain> domains,
                             std::span<const std::size_t> domain_of, ClockModel model,
                             std::vector<std::size_t>& leaders) {
  std::unordered_map<std::int32_t, std::size_t> index_of;
  for (std::size_t i = 0; i < metas.size(); ++i)
    if (metas[i]->rank >= 0) index_of.try_emplace(metas[i]->rank, i);

  std::map<std::pair<std::size_t, std::size_t>, Edge> edges;
  for (std::size_t i = 0; i < metas.size(); ++i)
    for (const ExchangeRow& row : metas[i]->exchanges) {
      const auto peer = index_of.find(row.peer);
      if (peer == index_of.end() || domain_of[peer->second] == domain_of[i]) continue;
      const std::size_t own = domain_of[i], far = domain_of[peer->second];
      Edge& edge = edges[std::minmax(own, far)];
      std::tie(edge.low, edge.high) = std::minmax(own, far);

      const TickAxis& near_axis = domains[own].axis;
      const TickAxis& far_axis = domains[far].axis;
      const long double t1 = near_axis.ns(row.sent_ticks), t4 = near_axis.ns(row.returned_ticks);
      const long double t2 = far_axis.ns(row.received_ticks), t3 = far_axis.ns(row.replied_ticks);
      const long double rtt = (t4 - t1) - (t3 - t2);
      if (t4 < t1 || t3 < t2 || rtt < 0) {
        ++edge.unusable;
        continue;
      }
      const long double here = (t1 + t4) / 2;
      const long double there = here + ((t2 - t1) + (t3 - t4)) / 2;
      edge.midpoints.push_back(own == edge.low ? Midpoint{here, there, rtt, row.phase}
                                               : Midpoint{there, here, rtt, row.phase});
      leaders[own] = std::min(leaders[own], i);
      leaders[far] = std::min(leaders[far], peer->second);
    }

  std::vector<Edge> found;
  for (auto& [pair, edge] : edges) {
    if (edge.midpoints.empty()) continue;
    select_phases(edge, model);
    edge.rtt_min_ns = std::numeric_limits<double>::max();
    for (const Midpoint& m : edge.midpoints) edge.rtt_min_ns = std::min(edge.rtt_min_ns, static_cast<double>(m.rtt_ns));
    found.push_back(std::move(edge));
  }
  return found;
}

LineFit fit_edge(const Edge& edge, std::size_t child, double kept) {
  std::vector<ExchangeOffset> offsets;
  for (const Midpoint& m : edge.midpoints) {
    const long double at = child == edge.low ? m.low_ns : m.high_ns;
    const long double other = child == edge.low ? m.high_ns : m.low_ns;
    offsets.push_back({at, other - at, m.rtt_ns, static_cast<int>(m.phase)});
  }
  return *fit_line(offsets, edge.spans_run, kept);  // an edge has exchanges
}

/// The cost of a path, most important part first.
struct Cost {
  std::size_t unmeasured_drifts = kNobody;  // not reached
  std::size_t steps = 0;
  double rtt_ns = 0;
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

/// Shortest paths from a root; fills `placed` for every domain reached.
class Spanning {
 public:
  Spanning(std::size_t domains, const std::vector<Edge>& edges, double kept, std::vector<PlacedDomain>& placed)
      : edges_{edges}, kept_{kept}, placed_{placed}, edges_of_(domains), costs_(domains), via_(domains) {
    for (std::size_t e = 0; e < edges.size(); ++e)
      for (const std::size_t end : {edges[e].low, edges[e].high}) edges_of_[end].push_back(e);
  }

  bool has_reached(std::size_t domain) const { return costs_[domain].unmeasured_drifts != kNobody; }

  void grow_from(std::size_t root) {
    costs_[root] = {0, 0, 0};
    placed_[root].parent = placed_[root].root = root;
    placed_[root].has_drift = true;
    const auto begin = static_cast<std::uint32_t>(root);
    shortest_paths(
        costs_, {&begin, 1},
        [&](std::uint32_t domain) {
          if (domain != root) place(domain, edges_[via_[domain]]);
        },
        [&](std::uint32_t domain, auto&& reach) {
          const Cost& base = costs_[domain];
          for (const std::size_t e : edges_of_[domain]) {
            const Edge& edge = edges_[e];
            const auto next = static_cast<std::uint32_t>(edge.other(domain));
            const Cost cost{base.unmeasured_drifts + (edge.spans_run ? 0 : 1), base.steps + 1,
                            base.rtt_ns + edge.rtt_min_ns};
            if (reach(next, cost)) via_[next] = e;
          }
        });
  }

 private:
  void place(std::size_t domain, const Edge& edge) {
    const std::size_t parent = edge.other(domain);
    const PlacedDomain& above = placed_[parent];
    PlacedDomain& own = placed_[domain];
    own.placement = Placement::exchanges;
    own.parent = parent;
    own.root = above.root;
    own.fit = fit_edge(edge, domain, kept_);
    const ClockLine step{own.fit.centre_ns, own.fit.centre_ns + own.fit.offset_ns, own.fit.drift};
    own.to_root = compose(above.to_root, step);
    own.has_drift = above.has_drift && edge.spans_run;
    own.drift_error = std::hypot(above.drift_error, own.fit.drift_error);
    own.unusable = edge.unusable;
  }

  const std::vector<Edge>& edges_;
  double kept_;
  std::vector<PlacedDomain>& placed_;
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<Cost> costs_;
  std::vector<std::size_t> via_;
};

/// The domain from which the others are reached over the fewest edges; the lowest if there are several.
std::size_t most_central(std::size_t domains, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::size_t>> neighbours(domains);
  for (const Edge& edge : edges) {
    neighbours[edge.low].push_back(edge.high);
    neighbours[edge.high].push_back(edge.low);
  }
  std::size_t best = 0;
  std::tuple<std::size_t, std::size_t> least{kNobody, 0};  // domains out of reach, longest path
  for (std::size_t root = 0; root < domains; ++root) {
    if (root != 0 && neighbours[root].size() < 2) continue;  // a leaf is not the centre
    std::vector<std::size_t> steps(domains, kNobody), front{root};
    steps[root] = 0;
    for (std::size_t i = 0; i < front.size(); ++i)
      for (const std::size_t next : neighbours[front[i]])
        if (steps[next] == kNobody) {
          steps[next] = steps[front[i]] + 1;
          front.push_back(next);
        }
    const std::tuple<std::size_t, std::size_t> own{domains - front.size(), steps[front.back()]};
    if (own < least) {
      least = own;
      best = root;
    }
  }
  return best;
}

}  // namespace

ClockLine compose(const ClockLine& outer, const ClockLine& inner) {
  return {inner.at, outer(inner.value), inner.drift + outer.drift + inner.drift * outer.drift};
}

double PlacedDomain::offset_error_ns(std::span<const PlacedDomain> all, long double at_ns) const {
  if (placement == Placement::root) return 0;
  const long double at_parent = at_ns + fit.offset_ns + fit.drift * (at_ns - fit.centre_ns);
  return std::hypot(fit.offset_error_ns(at_ns), all[parent].offset_error_ns(all, at_parent));
}

Placements place_domains(std::span<const RankMeta* const> metas, std::span<const ClockDomain> domains,
                         std::span<const std::size_t> domain_of, const ClockOptions& options,
                         std::optional<std::size_t> reference) {
  std::vector<std::size_t> leaders(domains.size(), kNobody);
  std::vector<Edge> edges;
  if (options.model != ClockModel::none) edges = find_edges(metas, domains, domain_of, options.model, leaders);

  Placements result;
  result.reference = reference.value_or(bends(options.model) ? most_central(domains.size(), edges) : 0);
  std::vector<PlacedDomain>& placed = result.domains;
  placed.resize(domains.size());
  Spanning spanning{domains.size(), edges, options.confidence, placed};
  spanning.grow_from(result.reference);
  for (std::size_t domain = 0; domain < domains.size(); ++domain)
    if (!spanning.has_reached(domain)) spanning.grow_from(domain);
  for (std::size_t domain = 0; domain < domains.size(); ++domain)
    placed[domain].leader = leaders[domain] == kNobody ? domains[domain].members.front() : leaders[domain];
  return result;
}

}  // namespace meridian
