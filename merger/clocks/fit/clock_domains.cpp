// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_domains.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

constexpr long double kLongNsPerSecond = 1e9L;

std::uint64_t width(const AnchorRow& anchor) { return anchor.after_ticks - anchor.before_ticks; }
std::uint64_t middle(const AnchorRow& anchor) { return anchor.before_ticks + width(anchor) / 2; }

/// Ticks per second as recorded by the tracer; 0 if not recorded.
long double nominal_rate_hz(const RankMeta& meta) {
  for (const TextRow& row : meta.texts) {
    std::uint64_t rate_hz = 0;
    if (row.key != "tick_hz") continue;
    std::from_chars(row.value.data(), row.value.data() + row.value.size(), rate_hz);
    if (rate_hz != 0) return static_cast<long double>(rate_hz);
  }
  return 0;
}

/// The earliest stamp of any kind of a rank. A zero is not a stamp.
std::uint64_t first_ticks(const RankMeta& meta) {
  std::uint64_t first = UINT64_MAX;
  const auto see = [&first](std::uint64_t ticks) {
    if (ticks != 0) first = std::min(first, ticks);
  };
  for (const auto& row : meta.anchors) see(row.before_ticks);
  for (const auto& row : meta.threads) see(row.begin_ticks);
  for (const auto& row : meta.segments) see(row.first_ticks);
  for (const auto& row : meta.overheads) see(row.enter_ticks);
  for (const auto& row : meta.comms) see(row.enter_ticks);
  return first;
}

std::vector<AnchorRow> anchors_in_time_order(std::span<const RankMeta* const> metas, const ClockDomain& domain) {
  std::vector<AnchorRow> anchors;
  for (const std::size_t member : domain.members)
    for (const AnchorRow& anchor : metas[member]->anchors)
      if (anchor.before_ticks <= anchor.after_ticks) anchors.push_back(anchor);
  std::stable_sort(anchors.begin(), anchors.end(),
                   [](const AnchorRow& a, const AnchorRow& b) { return middle(a) < middle(b); });
  return anchors;
}

/// The anchors with the tightest brackets in the first and in the last tenth of the time that the anchors cover.
std::pair<AnchorRow, AnchorRow> tightest_ends(const std::vector<AnchorRow>& anchors) {
  const std::uint64_t begin = middle(anchors.front());
  const std::uint64_t end = middle(anchors.back());
  const std::uint64_t tenth = (end - begin) / ClockTuning::kAnchorShare;
  const AnchorRow* early = &anchors.front();
  const AnchorRow* late = &anchors.back();
  for (const AnchorRow& anchor : anchors) {
    if (middle(anchor) <= begin + tenth && width(anchor) < width(*early)) early = &anchor;
    if (middle(anchor) >= end - tenth && width(anchor) < width(*late)) late = &anchor;
  }
  return {*early, *late};
}

void set_rate(std::span<const RankMeta* const> metas, ClockDomain& domain, const AnchorRow& early,
              const AnchorRow& late) {
  if (domain.kind == ClockKind::monotonic || domain.kind == ClockKind::monotonic_raw) return;  // ticks are ns
  const auto ticks = static_cast<long double>(middle(late) - middle(early));
  const auto doubt = static_cast<long double>(width(early) + width(late)) / 2;
  const auto span_ns = static_cast<long double>(late.monotonic_ns - early.monotonic_ns);
  const bool has_pair = ticks > 0 && span_ns > 0;
  if (has_pair && doubt <= ClockTuning::kWorstRateError * ticks) {
    domain.axis.ns_per_tick = span_ns / ticks;
    return;
  }
  domain.is_rate_assumed = true;
  for (const std::size_t member : domain.members)
    if (const long double rate_hz = nominal_rate_hz(*metas[member]); rate_hz > 0) {
      domain.axis.ns_per_tick = kLongNsPerSecond / rate_hz;
      return;
    }
  if (has_pair) domain.axis.ns_per_tick = span_ns / ticks;
}

/// The greatest common divisor of the distances between stamps, in ticks.
class TickGrid {
 public:
  void add(std::uint64_t ticks) {
    if (ticks == 0) return;
    if (stamps_++ == 0) first_ = ticks;
    step_ = std::gcd(step_, ticks > first_ ? ticks - first_ : first_ - ticks);
  }
  /// 1 if there are too few stamps to tell.
  std::uint64_t step() const { return stamps_ < ClockTuning::kFewStamps || step_ == 0 ? 1 : step_; }

 private:
  std::uint64_t first_ = 0, step_ = 0;
  std::size_t stamps_ = 0;
};

/// A clock may advance in steps of more than a tick: microseconds that are counted as nanoseconds.
void set_tick_lengths(std::span<const RankMeta* const> metas, std::vector<ClockDomain>& domains,
                      const std::vector<std::size_t>& domain_of) {
  std::map<std::int32_t, std::size_t> index_of;
  for (std::size_t i = 0; i < metas.size(); ++i) index_of.try_emplace(metas[i]->rank, i);
  std::vector<TickGrid> grids(domains.size());
  for (std::size_t i = 0; i < metas.size(); ++i) {
    TickGrid& own = grids[domain_of[i]];
    for (const auto& row : metas[i]->threads) own.add(row.begin_ticks);
    for (const auto& row : metas[i]->segments) own.add(row.first_ticks);
    for (const auto& row : metas[i]->overheads) own.add(row.enter_ticks), own.add(row.leave_ticks);
    for (const ExchangeRow& row : metas[i]->exchanges) {
      const auto peer = index_of.find(row.peer);
      if (peer == index_of.end()) continue;
      TickGrid& far = grids[domain_of[peer->second]];
      own.add(row.sent_ticks), own.add(row.returned_ticks);
      far.add(row.received_ticks), far.add(row.replied_ticks);
    }
  }
  for (std::size_t d = 0; d < domains.size(); ++d)
    domains[d].tick_ns = static_cast<double>(domains[d].axis.ns_per_tick) * static_cast<double>(grids[d].step());
}

void set_axis(std::span<const RankMeta* const> metas, ClockDomain& domain) {
  domain.first_ticks = UINT64_MAX;
  for (const std::size_t member : domain.members)
    domain.first_ticks = std::min(domain.first_ticks, first_ticks(*metas[member]));
  if (domain.first_ticks == UINT64_MAX) domain.first_ticks = 0;  // nothing was recorded

  const auto anchors = anchors_in_time_order(metas, domain);
  domain.has_anchor = !anchors.empty();
  domain.axis.base_ticks = domain.first_ticks;
  AnchorRow early{}, late{};
  if (domain.has_anchor) {
    std::tie(early, late) = tightest_ends(anchors);
    domain.axis.base_ticks = middle(early);
    domain.axis.base_monotonic_ns = early.monotonic_ns;
    domain.axis.base_realtime_ns = early.realtime_ns;
  }
  if (domain.kind == ClockKind::monotonic)  // the ticks themselves, not a clock read some ns later
    domain.axis.base_monotonic_ns = static_cast<std::int64_t>(domain.axis.base_ticks);
  set_rate(metas, domain, early, late);
}

}  // namespace

std::vector<ClockDomain> find_domains(std::span<const RankMeta* const> metas, std::span<const std::uint32_t> parts,
                                      std::vector<std::size_t>& domain_of) {
  std::vector<ClockDomain> domains;
  std::map<std::tuple<std::uint64_t, ClockKind, std::uint32_t>, std::size_t> numbers;
  domain_of.clear();
  for (std::size_t i = 0; i < metas.size(); ++i) {
    const auto [place, is_new] =
        numbers.try_emplace({metas[i]->domain, metas[i]->clock, parts.empty() ? 0 : parts[i]}, domains.size());
    if (is_new) domains.emplace_back().kind = metas[i]->clock;
    domains[place->second].members.push_back(i);
    domain_of.push_back(place->second);
  }
  for (ClockDomain& domain : domains) set_axis(metas, domain);
  set_tick_lengths(metas, domains, domain_of);
  return domains;
}

std::string clock_name(ClockKind kind) {
  switch (kind) {
    case ClockKind::tsc:
      return "tsc";
    case ClockKind::monotonic_raw:
      return "monotonic_raw";
    case ClockKind::monotonic:
      return "monotonic";
    case ClockKind::warped:
      return "warped";
  }
  return "unknown";
}

}  // namespace meridian
