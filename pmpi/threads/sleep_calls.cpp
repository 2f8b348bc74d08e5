// hot
// SPDX-License-Identifier: Apache-2.0

// Sleep: a state of its own.

#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

template <CallId id, class Call>
[[gnu::always_inline]] inline auto asleep(Call call) noexcept(false) {
  if (is_off(id, caller())) return call();
  return recorded<id, Payload::local, 0>([](std::uint64_t*) {}, call,
                                         [](std::uint64_t*, auto result) { return result == 0; }, caller());
}

}  // namespace

MERIDIAN_EXPORT int nanosleep(const timespec* time, timespec* left) {
  return asleep<CallId::nanosleep>([=] { return g_libc.nanosleep(time, left); });
}

MERIDIAN_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  return asleep<CallId::clock_nanosleep>([=] { return g_libc.clock_nanosleep(clock, flags, time, left); });
}

MERIDIAN_EXPORT int usleep(useconds_t time) {
  return asleep<CallId::usleep>([=] { return g_libc.usleep(time); });
}

MERIDIAN_EXPORT unsigned sleep(unsigned time) {
  return asleep<CallId::sleep>([=] { return g_libc.sleep(time); });
}

MERIDIAN_EXPORT int thrd_sleep(const timespec* time, timespec* left) {
  return asleep<CallId::thrd_sleep>([=] { return g_libc.thrd_sleep(time, left); });
}

}  // namespace meridian
