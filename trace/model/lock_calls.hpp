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
      return true;
    default:
      return false;
  }
}

}  // namespace meridian
