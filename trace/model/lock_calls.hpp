// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/model/call_id.hpp"

namespace meridian {

/// Releases a lock. Such calls never wait, and there are as many of them as acquisitions.
constexpr bool is_release(CallId call) noexcept {
  switch (call) {
    case CallId::pthread_mutex_unlock:
    case CallId::mtx_unlock:
    case CallId::pthread_rwlock_unlock:
    case CallId::pthread_spin_unlock:
    case CallId::omp_critical_end:
    case CallId::omp_unset_lock:
    case CallId::omp_unset_nest_lock:
      return true;
    default:
      return false;
  }
}

/// A call of OpenMP to which MERIDIAN_LOCKS applies.
constexpr bool is_omp_lock(CallId call) noexcept {
  return info(call).group == CallGroup::openmp && call >= CallId::omp_critical;
}

}  // namespace meridian
