// SPDX-License-Identifier: Apache-2.0
#include "merger/repair/remove_overhead.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "merger/repair/forward_replay.hpp"

namespace meridian {
namespace {

/// The clocks' times: finds what each call had to follow.
struct AsItWas {
  MappedArray<std::int64_t>& needs;

  std::int64_t enter(std::uint32_t /*chain*/, std::uint64_t /*row*/, std::int64_t x) const { return x; }
  std::int64_t leave(std::uint32_t /*chain*/, std::uint64_t row, std::int64_t x, std::int64_t need) {
    needs[row] = need;
    return x;
  }
};

class WithoutCosts {
 public:
  WithoutCosts(const RepairTables& tables, const MappedArray<TimePair>& without, const MappedArray<std::int64_t>& needs)
      : tables_{tables}, without_{without}, needs_{needs}, first_(tables.chains, 0), streams_(tables.chains, 0) {
    for (const RepairStream& stream : tables.streams) {
      if (streams_[stream.chain]++ == 0) first_[stream.chain] = stream.first;
    }
  }

  std::int64_t enter(std::uint32_t chain, std::uint64_t row, std::int64_t x) const {
    if (streams_[chain] > 1) return x;
    if (row == first_[chain]) return without_[row].enter_ns;
    return tables_.moved[row - 1].leave_ns + (without_[row].enter_ns - without_[row - 1].leave_ns);
  }

  std::int64_t leave(std::uint32_t chain, std::uint64_t row, std::int64_t x, std::int64_t need) const {
    const std::int64_t earliest = need == 0 ? INT64_MIN : ns_of(need) + 1;
    if (streams_[chain] > 1) return std::max(x, earliest);
    const std::int64_t own = without_[row].leave_ns - without_[row].enter_ns;
    const std::int64_t enter = tables_.moved[row].enter_ns;
    if (need == 0) return enter + own;
    const std::int64_t needed = ns_of(needs_[row]);
    if (needed <= tables_.times[row].enter_ns) return std::max(enter + own, earliest);
    // It waited: then the rest of the call follows.
    return std::max({enter, ns_of(need) + (x - needed), earliest});
  }

 private:
  const RepairTables& tables_;
  const MappedArray<TimePair>& without_;
  const MappedArray<std::int64_t>& needs_;
  std::vector<std::uint64_t> first_;    // [chains] row
  std::vector<std::uint32_t> streams_;  // [chains]
};

}  // namespace

Status remove_overhead(RepairInput& input, const MappedArray<TimePair>& without, TempSpool<MatchedMessage>& messages,
                       TempSpool<CollectivePart>& collectives, const std::filesystem::path& scratch) {
  MERIDIAN_TRY(auto needs, MappedArray<std::int64_t>::create(scratch, input.times.size()));
  {
    MERIDIAN_TRY(RepairTables tables, RepairTables::create(std::move(input), messages, collectives, scratch));
    AsItWas pace{needs};
    MERIDIAN_TRY_DO(Forward<AsItWas>(tables, pace).run());
    input = {std::move(tables.streams), std::move(tables.times)};
  }
  MERIDIAN_TRY(RepairTables tables, RepairTables::create(std::move(input), messages, collectives, scratch));
  WithoutCosts pace{tables, without, needs};
  MERIDIAN_TRY_DO(Forward<WithoutCosts>(tables, pace).run());
  input = {std::move(tables.streams), std::move(tables.moved)};
  return {};
}

}  // namespace meridian
