// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/location_states.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "trace/model/call_facts.hpp"
#include "trace/model/lock_calls.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

CallTraits traits_of(const MergedCall& call) {
  CallTraits traits;
  if (group_by_name(call.group) == CallGroup::user) {
    traits.is_user = true;
    traits.state = LocationState::compute;
    return traits;
  }
  const auto [id, group, facts] = facts_of(call.name);
  if (id == CallId::none) return traits;
  switch (group) {
    case CallGroup::thread:
    case CallGroup::lock:
    case CallGroup::openmp:
      traits.state = lock_facts(id).waits != ThreadAwaits::no ? LocationState::sync_wait : LocationState::compute;
      break;
    case CallGroup::sleep:
      traits.state = LocationState::sleep;
      break;
    case CallGroup::io:
    case CallGroup::files:
      traits.state = LocationState::io;
      break;
    default:
      traits.state = LocationState::mpi_transfer;
  }
  traits.starts_mpi = facts.role == Role::init || facts.role == Role::session_init;
  traits.ends_mpi = facts.role == Role::finalize || facts.role == Role::session_finalize;
  traits.is_join = waits_for_thread(id);
  traits.is_synchronous_send = facts.blocks == Blocks::for_receive;
  traits.is_blocking_send = blocks_sending(facts);
  return traits;
}

/// 0 for what is no time: a damaged table, or a garbled message of another process.
std::int64_t ns_of(double seconds) {
  constexpr double kMost = 1e9;  // 30 years
  return seconds > -kMost && seconds < kMost ? std::llround(seconds * kNsPerSecond) : 0;
}

}  // namespace

std::vector<CallTraits> call_traits(const MergedDefinitions& definitions) {
  std::vector<CallTraits> list;
  list.reserve(definitions.calls.size());
  for (const MergedCall& call : definitions.calls) list.push_back(traits_of(call));
  return list;
}

Result<std::vector<LocationLife>> location_lives(const MergedTrace& trace, const Summary& summary) {
  const auto& locations = trace.definitions().locations;
  std::vector<LocationLife> lives(locations.size());
  if (trace.events() == 0 || summary.threads.empty()) return lives;
  std::map<std::pair<std::int32_t, std::int64_t>, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < locations.size(); ++i) numbers[{locations[i].rank, locations[i].thread}] = i;
  MERIDIAN_TRY(const MergedEvent first, trace.event(0));
  for (const ThreadSummary& row : summary.threads) {
    const auto found = numbers.find({row.rank, row.thread});
    if (found == numbers.end()) continue;
    LocationLife& life = lives[found->second];
    life.begin_ns = first.enter_ns + ns_of(row.begin_s);
    life.end_ns = life.begin_ns + ns_of(row.life_s);
    const auto creator = numbers.find({row.rank, row.creator});
    if (creator != numbers.end() && creator->second != found->second) life.creator = creator->second;
  }
  return lives;
}

}  // namespace meridian
