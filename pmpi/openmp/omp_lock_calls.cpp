// hot
// SPDX-License-Identifier: Apache-2.0

// Locks and critical regions of OpenMP.

#include "pmpi/openmp/omp_holders.hpp"
#include "pmpi/openmp/openmp_library.hpp"
#include "pmpi/openmp/team.hpp"
#include "pmpi/threads/lock_call.hpp"

namespace meridian {

namespace {

/// The name of a critical region, or a variable in place of one.
struct OmpCritical;
char g_unnamed_critical[8];

[[gnu::always_inline]] inline OmpCritical* critical_of(void* name) noexcept { return static_cast<OmpCritical*>(name); }

/// There is no try: a thread for which nobody is noted as the holder enters. In the moment between entering and noting, another
/// one may do likewise, and its wait is counted, but not recorded.
template <CallId id, class Enter>
[[gnu::always_inline]] inline void enter_critical(OmpCritical* critical, Enter enter) noexcept(false) {
  if (g_has_ompt) return enter();
  const auto wait = [=] {
    enter();
    return 0;
  };
  acquire<id, LockKind::omp>(
      critical, [=] { return noted_holder(critical) != 0 ? EBUSY : wait(); }, wait);
  note_holder(critical);
}

template <CallId id, class Leave>
[[gnu::always_inline]] inline void leave_critical(OmpCritical* critical, Leave leave) noexcept(false) {
  if (g_has_ompt) return leave();
  note_release(critical);
  about_lock<id, LockKind::omp>(critical, [=] {
    leave();
    return 0;
  });
}

}  // namespace

/// Used by lock_call.hpp, which finds it by its argument.
[[gnu::always_inline]] inline std::int32_t holder_of(const OmpLock* lock) noexcept {
  const std::int32_t tid = noted_holder(lock);
  return tid > 0 ? tid : 0;
}
namespace {
[[gnu::always_inline]] inline std::int32_t holder_of(const OmpCritical* critical) noexcept {
  const std::int32_t tid = noted_holder(critical);
  return tid > 0 ? tid : 0;
}
}  // namespace

#define MERIDIAN_OMP_TAKE(id, name, test)                        \
  MERIDIAN_EXPORT void name(OmpLock* lock) noexcept(false) {     \
    acquire<CallId::id, LockKind::omp>(                          \
        lock, [=] { return g_omp.test(lock) != 0 ? 0 : EBUSY; }, \
        [=] {                                                    \
          g_omp.name(lock);                                      \
          return 0;                                              \
        });                                                      \
    note_holder(lock);                                           \
  }
#define MERIDIAN_OMP_TEST(id, type, name)                    \
  MERIDIAN_EXPORT type name(OmpLock* lock) noexcept(false) { \
    type taken = 0;                                          \
    try_acquire<CallId::id, LockKind::omp>(lock, [&] {       \
      taken = g_omp.name(lock);                              \
      return taken != 0 ? 0 : EBUSY;                         \
    });                                                      \
    if (taken != 0) note_holder(lock);                       \
    return taken;                                            \
  }
#define MERIDIAN_OMP_RELEASE(id, name)                       \
  MERIDIAN_EXPORT void name(OmpLock* lock) noexcept(false) { \
    note_release(lock);                                      \
    about_lock<CallId::id, LockKind::omp>(lock, [=] {        \
      g_omp.name(lock);                                      \
      return 0;                                              \
    });                                                      \
  }
#include "pmpi/openmp/openmp_calls.def"

MERIDIAN_EXPORT void GOMP_critical_start() noexcept(false) {
  enter_critical<CallId::omp_critical>(critical_of(g_unnamed_critical), [] { g_omp.GOMP_critical_start(); });
}

MERIDIAN_EXPORT void GOMP_critical_end() noexcept(false) {
  leave_critical<CallId::omp_critical_end>(critical_of(g_unnamed_critical), [] { g_omp.GOMP_critical_end(); });
}

MERIDIAN_EXPORT void GOMP_critical_name_start(void** name) noexcept(false) {
  enter_critical<CallId::omp_critical>(critical_of(name), [=] { g_omp.GOMP_critical_name_start(name); });
}

MERIDIAN_EXPORT void GOMP_critical_name_end(void** name) noexcept(false) {
  leave_critical<CallId::omp_critical_end>(critical_of(name), [=] { g_omp.GOMP_critical_name_end(name); });
}

}  // namespace meridian
