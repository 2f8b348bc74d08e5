// hot

// Fortran procedures that no row can describe: arrays of requests, and what begins, ends and steers tracing.

#include "pmpi/fortran_entry.hpp"
#include "pmpi/init_calls.hpp"
#include "pmpi/session.hpp"

namespace meridian {
namespace {

using fortran::Subroutine;

/// Where the arguments of a call on an array of requests are.
struct ListPlaces {
  Completes completes;
  std::size_t statuses;  ///< 0: none
  std::size_t flag;      ///< 0: none
  std::size_t outcount;  ///< 0: none
  std::size_t indices;   ///< 0: none
  std::size_t error;
};

template <CallId id, ListPlaces at, std::size_t count>
[[gnu::always_inline]] inline void list_call(NextProcedure& next, Word (&words)[count]) {
  if (!g_enabled[static_cast<std::size_t>(id)] || !is_fortran_ready()) [[unlikely]]
    return fortran::forward(next, words);
  const Subroutine call{next, words, at.error};
  const auto integer = [&](std::size_t place) { return place != 0 ? static_cast<const int*>(words[place]) : nullptr; };
  const auto* const requests = static_cast<const MPI_Fint*>(words[1]);
  // A status has the same words in both languages; nothing of it is read that needs more alignment than it has.
  MPI_Status* statuses = MPI_STATUSES_IGNORE;
  if (at.statuses != 0 && !g_fortran.status_ignore.is(words[at.statuses]) &&
      !g_fortran.statuses_ignore.is(words[at.statuses]))
    statuses = static_cast<MPI_Status*>(words[at.statuses]);
  const RequestList list{.count = *static_cast<const int*>(words[0]),
                         .requests = static_cast<const MPI_Request*>(words[1]),
                         .statuses = statuses,
                         .completes = at.completes,
                         .flag = integer(at.flag),
                         .outcount = integer(at.outcount),
                         .indices = integer(at.indices),
                         .first_index = 1};
  traced_list<id>(
      list,
      [&](MPI_Status* seen) {
        if (seen != statuses) words[at.statuses] = seen;
        return call();
      },
      [&](int i) { return fortran::request_word(requests[i]); });
}

constexpr ListPlaces kStartall{Completes::all_started, 0, 0, 0, 0, 2};
constexpr ListPlaces kWaitall{Completes::all, 2, 0, 0, 0, 3};
constexpr ListPlaces kTestall{Completes::all, 3, 2, 0, 0, 4};
constexpr ListPlaces kWaitany{Completes::one, 3, 0, 0, 2, 4};
constexpr ListPlaces kTestany{Completes::one, 4, 3, 0, 2, 5};
constexpr ListPlaces kSome{Completes::some, 4, 0, 2, 3, 5};

template <CallId id, std::size_t error, std::size_t count>
[[gnu::always_inline]] inline void init(NextProcedure& next, Word (&words)[count]) {
  const Subroutine call{next, words, error};
  before_init();
  const int result = traced<id>(record::Local(), [&] { return call(); });
  if (result == MPI_SUCCESS) after_init();
}

template <std::size_t count>
[[gnu::always_inline]] inline void finalize(NextProcedure& next, Word (&words)[count]) {
  const Subroutine call{next, words, 0};
  before_finalize();
  traced<CallId::Finalize>(record::Local(), [&] { return call(); });
  after_finalize();
}

template <std::size_t count>
[[gnu::always_inline]] inline void pcontrol(NextProcedure& next, Word (&words)[count]) {
  traced<CallId::Pcontrol>(record::Local(), [&] {
    fortran::forward(next, words);
    return MPI_SUCCESS;
  });
  const bool is_inside_call = t_state.block_limit != nullptr && t_state.limit == nullptr;
  if (!is_inside_call && g_session.state.load(std::memory_order_acquire) == SessionState::on)
    apply_levels(*static_cast<const MPI_Fint*>(words[0]) != 0);
}

}  // namespace

// `taken`: words of the call.
#define MERIDIAN_BY_HAND_F77(name, taken, function) \
  MERIDIAN_IF(MERIDIAN_HAS_F77_##name,              \
              MERIDIAN_F77(void, MERIDIAN_LOWER_##name, MERIDIAN_UPPER_##name, taken, (function(next, words))))
#define MERIDIAN_BY_HAND_F08(name, taken, function) \
  MERIDIAN_IF(MERIDIAN_HAS_F08_##name, MERIDIAN_PROCEDURE(void, MERIDIAN_F08_##name, taken, (function(next, words))))
#define MERIDIAN_BY_HAND(name, taken, function) \
  MERIDIAN_BY_HAND_F77(name, taken, function)   \
  MERIDIAN_BY_HAND_F08(name, taken, function)

MERIDIAN_BY_HAND(Startall, 5, (list_call<CallId::Startall, kStartall>))
MERIDIAN_BY_HAND(Waitall, 6, (list_call<CallId::Waitall, kWaitall>))
MERIDIAN_BY_HAND(Testall, 7, (list_call<CallId::Testall, kTestall>))
MERIDIAN_BY_HAND(Waitany, 7, (list_call<CallId::Waitany, kWaitany>))
MERIDIAN_BY_HAND(Testany, 8, (list_call<CallId::Testany, kTestany>))
MERIDIAN_BY_HAND(Waitsome, 8, (list_call<CallId::Waitsome, kSome>))
MERIDIAN_BY_HAND(Testsome, 8, (list_call<CallId::Testsome, kSome>))
MERIDIAN_BY_HAND(Pcontrol, 3, pcontrol)

MERIDIAN_BY_HAND_F08(Init, 3, (init<CallId::Init, 0>))
MERIDIAN_BY_HAND_F08(Init_thread, 5, (init<CallId::Init_thread, 2>))
MERIDIAN_BY_HAND_F08(Finalize, 3, finalize)
#ifdef OPEN_MPI  // MPICH's mpif.h has these call MPI_Init, MPI_Init_thread and MPI_Finalize, which do the same
MERIDIAN_BY_HAND_F77(Init, 3, (init<CallId::Init, 0>))
MERIDIAN_BY_HAND_F77(Init_thread, 5, (init<CallId::Init_thread, 2>))
MERIDIAN_BY_HAND_F77(Finalize, 3, finalize)
#endif

#define MERIDIAN_CREATE_ENV                                                                                            \
  (fortran::row<CallId::Info_create_env, int, fortran::Buffers::by_address>([](MPI_Info*) { return record::Local(); }, \
                                                                            next, words))
MERIDIAN_IF(MERIDIAN_HAS_Info_create_env, MERIDIAN_F77(void, info_create_env, INFO_CREATE_ENV, 4, MERIDIAN_CREATE_ENV))
MERIDIAN_IF(MERIDIAN_HAS_Info_create_env, MERIDIAN_PROCEDURE(void, mpi_info_create_env_f08_, 4, MERIDIAN_CREATE_ENV))

}  // namespace meridian
