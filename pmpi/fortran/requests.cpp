// hot
// SPDX-License-Identifier: Apache-2.0

// Fortran calls on arrays of requests, which no row can describe.

#include "pmpi/fortran/entry.hpp"
#include "pmpi/rings/thread_state.hpp"

namespace meridian {
namespace {

using fortran::Subroutine;

/// The positions of the arguments of a call on an array of requests.
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
  if (!g_enabled[static_cast<std::size_t>(id)] || !is_fortran_ready()) [[unlikely]] {
    fortran::pass_by_fortran(id);
    return fortran::forward(next, words);
  }
  const Subroutine call{next, words, at.error};
  const auto integer = [&](std::size_t place) { return place != 0 ? static_cast<const int*>(words[place]) : nullptr; };
  const auto* const requests = static_cast<const MPI_Fint*>(words[1]);
  // A status has the same words in both languages; only members with its actual alignment are read.
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

}  // namespace

MERIDIAN_BY_HAND(Startall, 5, (list_call<CallId::Startall, kStartall>))
MERIDIAN_BY_HAND(Waitall, 6, (list_call<CallId::Waitall, kWaitall>))
MERIDIAN_BY_HAND(Testall, 7, (list_call<CallId::Testall, kTestall>))
MERIDIAN_BY_HAND(Waitany, 7, (list_call<CallId::Waitany, kWaitany>))
MERIDIAN_BY_HAND(Testany, 8, (list_call<CallId::Testany, kTestany>))
MERIDIAN_BY_HAND(Waitsome, 8, (list_call<CallId::Waitsome, kSome>))
MERIDIAN_BY_HAND(Testsome, 8, (list_call<CallId::Testsome, kSome>))

}  // namespace meridian
