// SPDX-License-Identifier: Apache-2.0
// Fortran calls that begin, end and control tracing; see session/init_calls.cpp for C. Cold, except for the traced call
// itself.

#include "pmpi/calls/comms.hpp"
#include "pmpi/choice/choice.hpp"
#include "pmpi/fortran/entry.hpp"
#include "pmpi/process/own_thread.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/rings/writer_process.hpp"
#include "pmpi/session/init_calls.hpp"

namespace meridian {
namespace {

using fortran::Subroutine;

/// See session/init_calls.cpp: even if the call is not recorded, its lock uses are not the program's.
template <class Call>
[[gnu::always_inline]] inline int library_call(const Call& call) {
  const BusyThread busy;
  return call();
}

template <CallId id, std::size_t error, std::size_t count>
[[gnu::always_inline]] inline void init(NextProcedure& next, Word (&words)[count]) {
  const Subroutine call{next, words, error};
  before_init();
  const int result = traced<id>(record::Local(), [&] { return library_call(call); });
  if (result == MPI_SUCCESS) after_init();
}

template <std::size_t count>
[[gnu::always_inline]] inline void finalize(NextProcedure& next, Word (&words)[count]) {
  const Subroutine call{next, words, 0};
  before_finalize();
  traced<CallId::Finalize>(record::Local(), [&] { return library_call(call); });
  after_finalize();
}

#ifndef OPEN_MPI
// MPICH's mpif.h implements these with MPI_Init, MPI_Init_thread and MPI_Finalize, which then have nothing left to do,
// or do everything.
template <CallId id, std::size_t error, std::size_t count>
[[gnu::always_inline]] inline void init_over_c(NextProcedure& next, Word (&words)[count]) {
  before_init();  // the choice is known after this
  if (!g_enabled[static_cast<std::size_t>(id)]) return fortran::forward(next, words);
  init<id, error>(next, words);
}

template <std::size_t count>
[[gnu::always_inline]] inline void finalize_over_c(NextProcedure& next, Word (&words)[count]) {
  if (!g_enabled[static_cast<std::size_t>(CallId::Finalize)]) return fortran::forward(next, words);
  finalize(next, words);
}
#endif

#if MERIDIAN_HAS_Session_init
bool is_outside() noexcept {
  return g_session.state.load(std::memory_order_acquire) == SessionState::on && !is_inside_call();
}

/// The handle in its C form.
MPI_Session to_c(Word session) noexcept {
  const MPI_Fint value = *static_cast<const MPI_Fint*>(session);
#ifdef OPEN_MPI
  return g_real.Session_f2c(value);
#else
  return value;
#endif
}

template <std::size_t count>
[[gnu::always_inline]] inline void session_init(NextProcedure& next, Word (&words)[count]) {
  const Subroutine call{next, words, 3};
  before_init();
  const int result = traced<CallId::Session_init>(record::Local(), [&] { return library_call(call); });
  if (result == MPI_SUCCESS && is_outside()) begin_session(to_c(words[2]), &after_init);
}

template <std::size_t count>
[[gnu::always_inline]] inline void session_finalize(NextProcedure& next, Word (&words)[count]) {
  const Subroutine call{next, words, 1};
  const bool is_end = is_outside() && leave_session();
  if (is_end) before_finalize();
  traced<CallId::Session_finalize>(record::Local(), [&] { return library_call(call); });
  if (is_end) after_finalize();
}

#ifndef OPEN_MPI
// See init_over_c(): MPICH's mpif.h calls the C functions.
template <std::size_t count>
[[gnu::always_inline]] inline void session_init_over_c(NextProcedure& next, Word (&words)[count]) {
  before_init();
  if (!g_enabled[static_cast<std::size_t>(CallId::Session_init)]) return fortran::forward(next, words);
  session_init(next, words);
}

template <std::size_t count>
[[gnu::always_inline]] inline void session_finalize_over_c(NextProcedure& next, Word (&words)[count]) {
  if (!g_enabled[static_cast<std::size_t>(CallId::Session_finalize)]) return fortran::forward(next, words);
  session_finalize(next, words);
}
#endif
#endif

template <std::size_t count>
[[gnu::always_inline]] inline void abort(NextProcedure& next, Word (&words)[count]) {
  const Subroutine call{next, words, 2};
  before_abort();
  traced<CallId::Abort>(record::Local(), [&] { return call(); });
}

template <std::size_t count>
[[gnu::always_inline]] inline void pcontrol(NextProcedure& next, Word (&words)[count]) {
  // See MPI_Pcontrol in C: both switches are events.
  const bool applies = !is_inside_call() && g_session.state.load(std::memory_order_acquire) == SessionState::on;
  const MPI_Fint level = *static_cast<const MPI_Fint*>(words[0]);
  if (applies && (level == 1 || level == 2)) switch_recording(true);
  traced<CallId::Pcontrol>(record::Local(), [&] {
    fortran::forward(next, words);
    return MPI_SUCCESS;
  });
  if (applies && level == 0) switch_recording(false);
  if (applies && level == 2) wake_writer();
}

// Fortran has no argc and argv to pass.
template <std::size_t count>
[[gnu::always_inline]] inline void create_env(NextProcedure& next, Word (&words)[count]) {
  fortran::row<CallId::Info_create_env, int, fortran::Buffers::by_address>([](MPI_Info*) { return record::Local(); },
                                                                           next, words);
}

}  // namespace

MERIDIAN_BY_HAND(Pcontrol, 3, pcontrol)
MERIDIAN_BY_HAND(Abort, 5, abort)

MERIDIAN_BY_HAND_F08(Init, 3, (init<CallId::Init, 0>))
MERIDIAN_BY_HAND_F08(Init_thread, 5, (init<CallId::Init_thread, 2>))
MERIDIAN_BY_HAND_F08(Finalize, 3, finalize)
#ifdef OPEN_MPI
MERIDIAN_BY_HAND_F77(Init, 3, (init<CallId::Init, 0>))
MERIDIAN_BY_HAND_F77(Init_thread, 5, (init<CallId::Init_thread, 2>))
MERIDIAN_BY_HAND_F77(Finalize, 3, finalize)
#else
MERIDIAN_BY_HAND_F77(Init, 3, (init_over_c<CallId::Init, 0>))
MERIDIAN_BY_HAND_F77(Init_thread, 5, (init_over_c<CallId::Init_thread, 2>))
MERIDIAN_BY_HAND_F77(Finalize, 3, finalize_over_c)
#endif

#if MERIDIAN_HAS_Session_init
MERIDIAN_BY_HAND_F08(Session_init, 6, session_init)
MERIDIAN_BY_HAND_F08(Session_finalize, 4, session_finalize)
#ifdef OPEN_MPI
MERIDIAN_BY_HAND_F77(Session_init, 6, session_init)
MERIDIAN_BY_HAND_F77(Session_finalize, 4, session_finalize)
#else
MERIDIAN_BY_HAND_F77(Session_init, 6, session_init_over_c)
MERIDIAN_BY_HAND_F77(Session_finalize, 4, session_finalize_over_c)
#endif
#endif

MERIDIAN_BY_HAND(Info_create_env, 4, create_env)

}  // namespace meridian
