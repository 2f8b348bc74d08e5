// SPDX-License-Identifier: Apache-2.0
#include "analysis/walk/location_states.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "trace/model/call_id.hpp"
#include "trace/model/units.hpp"

namespace meridian {
namespace {

/// Functions of the C library and of OpenMP in which a thread may wait for another one.
bool waits_for_threads(CallId id) {
  switch (id) {
    case CallId::pthread_join:
    case CallId::pthread_timedjoin_np:
    case CallId::pthread_clockjoin_np:
    case CallId::thrd_join:
    case CallId::pthread_mutex_lock:
    case CallId::pthread_mutex_timedlock:
    case CallId::pthread_mutex_clocklock:
    case CallId::mtx_lock:
    case CallId::mtx_timedlock:
    case CallId::pthread_cond_wait:
    case CallId::pthread_cond_timedwait:
    case CallId::pthread_cond_clockwait:
    case CallId::cnd_wait:
    case CallId::cnd_timedwait:
    case CallId::pthread_rwlock_rdlock:
    case CallId::pthread_rwlock_wrlock:
    case CallId::pthread_rwlock_timedrdlock:
    case CallId::pthread_rwlock_timedwrlock:
    case CallId::pthread_rwlock_clockrdlock:
    case CallId::pthread_rwlock_clockwrlock:
    case CallId::pthread_barrier_wait:
    case CallId::pthread_spin_lock:
    case CallId::pthread_once:
    case CallId::call_once:
    case CallId::sem_wait:
    case CallId::sem_timedwait:
    case CallId::sem_clockwait:
    case CallId::omp_implicit_barrier:
    case CallId::omp_barrier:
    case CallId::omp_taskwait:
    case CallId::omp_taskgroup:
    case CallId::omp_ordered:
    case CallId::omp_critical:
    case CallId::omp_set_lock:
    case CallId::omp_set_nest_lock:
      return true;
    default:
      return false;
  }
}

CallTraits traits_of(const MergedCall& call) {
  CallTraits traits;
  if (call.group == "user") {
    traits.is_user = true;
    traits.state = LocationState::compute;
    return traits;
  }
  std::string_view name = call.name;
  if (name.ends_with("_c")) name.remove_suffix(2);
  const CallId id = call_by_name(name);
  if (id == CallId::none) return traits;
  switch (info(id).group) {
    case CallGroup::thread:
    case CallGroup::lock:
    case CallGroup::openmp:
      traits.state = waits_for_threads(id) ? LocationState::sync_wait : LocationState::compute;
      break;
    case CallGroup::sleep:
      traits.state = LocationState::sleep;
      break;
    case CallGroup::io:
      traits.state = LocationState::io;
      break;
    default:
      traits.state = LocationState::mpi_transfer;
  }
  traits.is_init = id == CallId::Init || id == CallId::Init_thread;
  traits.is_finalize = id == CallId::Finalize;
  traits.is_join = id == CallId::pthread_join || id == CallId::pthread_timedjoin_np ||
                   id == CallId::pthread_clockjoin_np || id == CallId::thrd_join;
  traits.is_synchronous_send = id == CallId::Ssend;
  traits.is_blocking_send = traits.is_synchronous_send || id == CallId::Send || id == CallId::Rsend ||
                            id == CallId::Sendrecv || id == CallId::Sendrecv_replace;
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
