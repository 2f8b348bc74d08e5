#pragma once

// From messages and the first lines to clocks that bend, with bounds.

#include <cstdint>
#include <span>
#include <vector>

#include "merger/clocks/clock_map.hpp"
#include "merger/clocks/clock_residual.hpp"
#include "merger/clocks/clock_samples.hpp"
#include "merger/containers/temp_spool.hpp"
#include "merger/event_ref.hpp"

namespace meridian {

/// Gathers, while messages and collectives are matched on the first lines, what they say about the clocks.
class ClockObserver {
 public:
  /// first  of fit_clocks(). spool  gets every message between domains; may be null. Both must outlive the observer.
  ClockObserver(std::span<const RankMeta* const> metas, const Clocks& first, TempSpool<DomainMessage>* spool = nullptr);

  void add(std::span<const MatchedMessage> messages);
  /// The rows of an instance follow one another, over all calls.
  void add(std::span<const CollectivePart> parts);
  /// After the last one: adds the round trips, and gives what was gathered.
  ClockSamples& finish();

  /// Ranks that share a domain but whose messages show that they do not share a clock: [ranks] the part of its domain
  /// that a rank belongs to; empty: there are none.
  std::vector<std::uint32_t> find_split() const;

 private:
  struct Inner {                                 // messages between ranks of one domain
    std::uint64_t messages[2]{}, reversed[2]{};  // within a host, between hosts
  };
  std::uint32_t index_of(std::int32_t rank) const noexcept;
  void add_instance();
  void add_across();
  void check_within(const std::vector<CollectiveSide>& sides, const std::vector<const CollectivePart*>& last);

  std::span<const RankMeta* const> metas_;
  const Clocks& first_;
  TempSpool<DomainMessage>* spool_;
  ClockSamples samples_;
  std::vector<std::uint32_t> index_of_rank_;  // [world rank]
  std::vector<std::uint32_t> host_of_;        // [ranks given]
  std::vector<Inner> inner_;                  // [domains]
  std::vector<CollectivePart> instance_;
};

/// The clocks of the models `hull` and `meridian`; the others are what fit_clocks() says.
///
/// first    of fit_clocks(), with the same options; samples were taken on its maps.
/// residual gets what was added to the first lines.
/// returns  maps, table, bounds and findings. Domains that messages cannot tie to the reference either stay where their
///          realtime clocks put them, have no bounds, and are a finding.
Clocks refine_clocks(std::span<const RankMeta* const> metas, const Clocks& first, const ClockSamples& samples,
                     const ClockOptions& options, ClockResidual* residual = nullptr);

/// What each model would make of the messages between domains, in the order of ClockModel.
///
/// messages  all that the samples saw. chosen, residual  of `options.model`, if it bends; else only `chosen` is looked
/// at.
Result<std::vector<ClockModelSummary>> compare_models(std::span<const RankMeta* const> metas, const Clocks& first,
                                                      const ClockSamples& samples, TempSpool<DomainMessage>& messages,
                                                      const ClockOptions& options, const Clocks& chosen,
                                                      const ClockResidual& residual);

/// Root of the mean square, over the quickest nine tenths of each pair's round trips, of how far the two ends disagree
/// about the middle of a round trip; ns. 0 when there are none.
double round_trip_residual(std::span<const RankMeta* const> metas, const Clocks& clocks);

}  // namespace meridian
