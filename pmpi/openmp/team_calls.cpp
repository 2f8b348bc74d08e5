// hot
// SPDX-License-Identifier: Apache-2.0

// Parallel regions: the functions that make teams, and in each thread of a team the beginning and end of its share.

#include "pmpi/openmp/team.hpp"

namespace meridian {

namespace {

/// Runs in each thread of the team, in place of the region's body.
void run_share(void* given) noexcept(false) {
  const auto& region = *static_cast<const OmpRegion*>(given);
  OmpThread& own = t_omp;
  const bool is_master = own.forking == &region;
  own.forking = nullptr;
  if (!is_master) {
    if (own.wait.at != nullptr) end_omp_wait(false);
    if (!is_off(CallId::omp_share, region.caller)) note_share(region, CallId::omp_share);
  }
  own.region = &region;
  region.body(region.data);
  if (!is_off(CallId::omp_implicit_barrier, region.caller))
    begin_omp_wait({nullptr, CallId::omp_implicit_barrier, LockKind::team, &region, region.caller,
                    is_master ? region.frame : nullptr});
}

/// The state of the master of a region, which may begin another region inside it.
class Fork {
 public:
  [[gnu::always_inline]] explicit Fork(OmpRegion& region) noexcept : region_{region} {
    region.around = t_omp.region;
    note_share(region, CallId::omp_parallel);
    t_omp.forking = &region;
  }
  [[gnu::always_inline]] ~Fork() {
    if (t_omp.wait.at != nullptr) end_omp_wait(false);
    t_omp.forking = nullptr;
    t_omp.region = region_.around;
  }
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;

 private:
  OmpRegion& region_;
};

/// Also false while the thread is inside a call: the MPI library's own regions are not the program's.
[[gnu::always_inline]] inline bool is_team_recorded(const void* caller) noexcept {
  if (g_has_ompt || is_off(CallId::omp_parallel, caller)) return false;
  return is_application() && !is_in_library(caller);
}

}  // namespace

#define MERIDIAN_OMP_TEAM(type, name, params, args, missing)                 \
  MERIDIAN_EXPORT type name params noexcept(false) {                         \
    if (!is_team_recorded(caller())) return g_omp.name args;                 \
    OmpRegion region{data != nullptr ? *static_cast<void**>(data) : nullptr, \
                     body,                                                   \
                     data,                                                   \
                     caller(),                                               \
                     nullptr,                                                \
                     __builtin_frame_address(0)};                            \
    const Fork fork{region};                                                 \
    body = &run_share;                                                       \
    data = &region;                                                          \
    return g_omp.name args;                                                  \
  }
#include "pmpi/openmp/openmp_calls.def"

}  // namespace meridian
