// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/samples/clock_observer.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "merger/clocks/samples/exchanges.hpp"
#include "merger/model/clock_tuning.hpp"
#include "merger/model/clocks.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kMissing = 0xffffffff;

bool is_contradiction(std::uint64_t reversed, std::uint64_t messages) {
  return reversed >= ClockTuning::kFewestContradictions && reversed >= messages / ClockTuning::kContradictionsOneIn;
}

}  // namespace

ClockObserver::ClockObserver(std::span<const RankMeta* const> metas, const Clocks& first,
                             TempSpool<DomainMessage>* spool)
    : metas_{metas}, first_{first}, spool_{spool}, samples_{first.domains}, inner_(first.domains) {
  std::map<std::string, std::uint32_t> hosts;
  for (std::uint32_t i = 0; i < metas.size(); ++i) {
    host_of_.push_back(hosts.try_emplace(metas[i]->hostname, static_cast<std::uint32_t>(hosts.size())).first->second);
    if (metas[i]->rank < 0) continue;
    const auto rank = static_cast<std::size_t>(metas[i]->rank);
    if (rank >= index_of_rank_.size()) index_of_rank_.resize(rank + 1, kMissing);
    index_of_rank_[rank] = i;
  }
}

std::uint32_t ClockObserver::index_of(std::int32_t rank) const noexcept {
  const auto place = static_cast<std::size_t>(rank);
  return rank < 0 || place >= index_of_rank_.size() ? kMissing : index_of_rank_[place];
}

void ClockObserver::add(std::span<const MatchedMessage> messages) {
  for (const MatchedMessage& message : messages) {
    if (message.is_ambiguous) continue;
    const std::uint32_t from = index_of(message.send.rank), to = index_of(message.completion.rank);
    if (from == kMissing || to == kMissing || from == to) continue;
    const std::uint32_t sender = first_.domain_of[from], receiver = first_.domain_of[to];
    if (sender == receiver) {
      check(sender, from, to, message.send_enter_ns, message.receive_leave_ns);
      continue;
    }
    const DomainMessage row{message.send_enter_ns, message.receive_leave_ns, sender, receiver};
    samples_.add(row);
    if (spool_ != nullptr) spool_->append(row);
  }
}

void ClockObserver::add(std::span<const CollectivePart> parts) {
  for (const CollectivePart& part : parts) {
    if (!instance_.empty() && instance_.front().instance != part.instance) add_instance();
    instance_.push_back(part);
  }
}

/// In a collective on an intercommunicator, the last enter of the awaited ranks in a domain acts as a message to the
/// first exit of the waiting ranks on the other side. A few domains per side are enough.
void ClockObserver::add_across() {
  std::map<std::uint32_t, std::int64_t> enters[2], exits[2];  // by group and domain
  for (const CollectivePart& part : instance_) {
    if (!part.is_awaited && !part.waits) continue;
    const std::uint32_t index = index_of(part.start.rank);
    if (index == kMissing) continue;
    const std::uint32_t domain = first_.domain_of[index];
    auto &enter = enters[part.side & 1], &exit = exits[part.side & 1];
    if (part.is_awaited && (enter.size() < ClockTuning::kMostDomainsAcross || enter.contains(domain))) {
      const auto place = enter.try_emplace(domain, part.enter_ns).first;
      place->second = std::max(place->second, part.enter_ns);
    }
    if (part.waits && (exit.size() < ClockTuning::kMostDomainsAcross || exit.contains(domain))) {
      const auto place = exit.try_emplace(domain, part.leave_ns).first;
      place->second = std::min(place->second, part.leave_ns);
    }
  }
  for (const int side : {0, 1})
    for (const auto& [from, enter_ns] : enters[side])
      for (const auto& [to, exit_ns] : exits[1 - side])
        if (from != to) samples_.add({enter_ns, exit_ns, from, to});
}

void ClockObserver::add_instance() {
  add_across();
  CollectiveShape shape = CollectiveShape::none;
  const CollectivePart* root = nullptr;
  for (const CollectivePart& part : instance_) {
    if (part.shape == CollectiveShape::none) continue;
    shape = part.shape;
    if (part.comm_rank == part.root) root = &part;
  }
  std::vector<CollectiveSide> sides;        // by domain, in order of appearance
  std::vector<const CollectivePart*> last;  // [side]: the part that entered last
  for (const CollectivePart& part : instance_) {
    const std::uint32_t index = index_of(part.start.rank);
    if (part.shape == CollectiveShape::none || index == kMissing) continue;
    const std::uint32_t domain = first_.domain_of[index];
    const auto side = std::ranges::find(sides, domain, &CollectiveSide::domain);
    if (side == sides.end()) {
      sides.push_back({domain, part.enter_ns, part.leave_ns});
      last.push_back(&part);
    } else {
      if (part.enter_ns > side->last_enter_ns) last[static_cast<std::size_t>(side - sides.begin())] = &part;
      side->last_enter_ns = std::max(side->last_enter_ns, part.enter_ns);
      side->first_exit_ns = std::min(side->first_exit_ns, part.leave_ns);
    }
  }
  if (shape == CollectiveShape::all_to_all) check_within(sides, last);
  if (shape == CollectiveShape::all_to_all && sides.size() > 1) samples_.add_collective(sides);
  if (root != nullptr && (shape == CollectiveShape::one_to_all || shape == CollectiveShape::all_to_one)) {
    const std::uint32_t own = first_.domain_of[index_of(root->start.rank)];
    for (const CollectiveSide& side : sides) {
      if (side.domain == own) continue;
      samples_.add(shape == CollectiveShape::one_to_all
                       ? DomainMessage{root->enter_ns, side.first_exit_ns, own, side.domain}
                       : DomainMessage{side.last_enter_ns, root->leave_ns, side.domain, own});
    }
  }
  instance_.clear();
}

/// Ranks of one domain that leave before others of it have entered do not share a clock.
void ClockObserver::check_within(const std::vector<CollectiveSide>& sides,
                                 const std::vector<const CollectivePart*>& last) {
  for (const CollectivePart& part : instance_) {
    const std::uint32_t index = index_of(part.start.rank);
    if (part.shape == CollectiveShape::none || index == kMissing) continue;
    const auto side = std::ranges::find(sides, first_.domain_of[index], &CollectiveSide::domain);
    const CollectivePart& latest = *last[static_cast<std::size_t>(side - sides.begin())];
    if (&latest == &part) continue;
    check(side->domain, index_of(latest.start.rank), index, latest.enter_ns, part.leave_ns);
  }
}

/// Takes a message between ranks of one domain.
void ClockObserver::check(std::uint32_t domain, std::uint32_t from, std::uint32_t to, std::int64_t sent_ns,
                          std::int64_t received_ns) {
  const bool is_between_hosts = host_of_[from] != host_of_[to], is_reversed = received_ns < sent_ns;
  ++inner_[domain].messages[is_between_hosts];
  if (is_between_hosts) {
    if (is_reversed) ++inner_[domain].reversed[1];
    return;
  }
  const HandleKey key{std::uint64_t{from} << 32 | to};
  std::uint32_t place = way_of_.find(key);
  if (place == decltype(way_of_)::kNone) {
    if (ways_.size() == ClockTuning::kMostWays) return;
    place = static_cast<std::uint32_t>(ways_.size());
    way_of_.set(key, place);
    ways_.push_back({from, to, received_ns - sent_ns, sent_ns, sent_ns, 0});
  }
  Way& way = ways_[place];
  way.least_ns = std::min(way.least_ns, received_ns - sent_ns);
  way.first_ns = std::min(way.first_ns, sent_ns);
  way.last_ns = std::max(way.last_ns, sent_ns);
  way.reversed += is_reversed ? 1 : 0;
}

/// Whether clocks at some distance, with a drift that real ones have, explain the reversed messages of this way.
bool ClockObserver::is_distance(const Way& way) const noexcept {
  const std::uint32_t back = way_of_.find({std::uint64_t{way.to} << 32 | way.from});
  if (back == decltype(way_of_)::kNone) return true;
  const Way& other = ways_[back];
  const std::int64_t span_ns = std::max(way.last_ns, other.last_ns) - std::min(way.first_ns, other.first_ns);
  return way.least_ns + other.least_ns >=
         -static_cast<std::int64_t>(ClockTuning::kDriftWithin * static_cast<double>(span_ns));
}

ClockSamples& ClockObserver::finish() {
  if (!instance_.empty()) add_instance();
  for_each_exchange(metas_, first_.domain_of, [&](std::size_t asker, std::size_t answerer, const ExchangeRow& row) {
    const std::uint32_t own = first_.domain_of[asker], far = first_.domain_of[answerer];
    const ClockMap &here = first_.maps[asker], &there = first_.maps[answerer];
    samples_.add({here.to_global(row.sent_ticks), there.to_global(row.received_ticks), own, far});
    samples_.add({there.to_global(row.replied_ticks), here.to_global(row.returned_ticks), far, own});
  });
  samples_.seal();
  return samples_;
}

std::vector<std::uint32_t> ClockObserver::find_split() const {
  std::vector<std::uint32_t> parts(metas_.size(), 0);
  bool is_split = false;
  std::vector<std::uint64_t> reversed(inner_.size());  // on one host
  for (const Way& way : ways_)
    if (way.reversed != 0 && is_distance(way)) reversed[first_.domain_of[way.from]] += way.reversed;
  for (std::uint32_t i = 0; i < metas_.size(); ++i) {
    const Inner& inner = inner_[first_.domain_of[i]];
    if (is_contradiction(reversed[first_.domain_of[i]], inner.messages[0]))
      parts[i] = i + 1;  // each rank gets its own clock
    else if (is_contradiction(inner.reversed[1], inner.messages[1]))
      parts[i] = host_of_[i] + 1;
    is_split |= parts[i] != 0;
  }
  if (!is_split) parts.clear();
  return parts;
}

}  // namespace meridian
