// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_spawn and MPI_Comm_spawn_multiple in Fortran; see spawn_calls.cpp for C. Cold, except for the traced call
// itself.

#include "pmpi/calls/spawn.hpp"
#include "pmpi/fortran/entry.hpp"

namespace meridian {
namespace {

#ifdef OPEN_MPI
using fortran::Subroutine;

MPI_Comm comm_at(Word word) noexcept { return g_real.Comm_f2c(*static_cast<const MPI_Fint*>(word)); }

/// The results of the call, converted to C afterwards.
struct SpawnedHere : record::Spawned {
  MPI_Comm& made_here;
  const MPI_Fint* variable;
  SpawnedHere(MPI_Comm comm, MPI_Comm& made_, Word variable_, Offspring& offspring_) noexcept
      : Spawned{comm, &made_, offspring_}, made_here{made_}, variable{static_cast<const MPI_Fint*>(variable_)} {}
  std::uint64_t after(std::uint64_t* words) const noexcept {
    made_here = g_real.Comm_f2c(*variable);
    return Spawned::after(words);
  }
};

/// command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes, ierror
template <std::size_t count>
void spawn(NextProcedure& next, Word (&words)[count]) {
  if (!is_fortran_ready()) return fortran::forward(next, words);
  const Subroutine call{next, words, 8};
  MPI_Comm comm = comm_at(words[5]);
  Offspring offspring{comm, *static_cast<const MPI_Fint*>(words[4])};
  MPI_Fint told = 0;
  if (offspring.is_told()) {
    told = g_real.Info_c2f(offspring.info(g_real.Info_f2c(*static_cast<const MPI_Fint*>(words[3]))));
    words[3] = &told;
  }
  MPI_Comm made = g_mpi.comm_null;
  traced<CallId::Comm_spawn>(SpawnedHere(comm, made, words[6], offspring), [&] { return call(); });
}

/// count, commands, argvs, maxprocs, infos, root, comm, intercomm, array_of_errcodes, ierror
template <std::size_t count>
void spawn_multiple(NextProcedure& next, Word (&words)[count]) {
  constexpr int kMost = 64;  // with more commands, the children get no settings
  if (!is_fortran_ready()) return fortran::forward(next, words);
  const Subroutine call{next, words, 9};
  MPI_Comm comm = comm_at(words[6]);
  Offspring offspring{comm, *static_cast<const MPI_Fint*>(words[5])};
  MPI_Fint told[kMost];
  const int programs = offspring.is_told() ? *static_cast<const MPI_Fint*>(words[0]) : 0;
  if (programs >= 1 && programs <= kMost) {
    MPI_Info given[kMost];
    for (int i = 0; i < programs; ++i) given[i] = g_real.Info_f2c(static_cast<const MPI_Fint*>(words[4])[i]);
    const MPI_Info* const infos = offspring.infos(programs, given);
    for (int i = 0; i < programs; ++i) told[i] = g_real.Info_c2f(infos[i]);
    words[4] = told;
  }
  MPI_Comm made = g_mpi.comm_null;
  traced<CallId::Comm_spawn_multiple>(SpawnedHere(comm, made, words[7], offspring), [&] { return call(); });
}
#else
// Children do not get settings through infos here: recorded like rows of the table.
template <std::size_t count>
void spawn(NextProcedure& next, Word (&words)[count]) {
  fortran::row<CallId::Comm_spawn, int, fortran::Buffers::by_address>(
      [](const char*, char**, int, MPI_Info, int, MPI_Comm comm, MPI_Comm* made, int*) {
        return record::NewComm(comm, made);
      },
      next, words);
}
template <std::size_t count>
void spawn_multiple(NextProcedure& next, Word (&words)[count]) {
  fortran::row<CallId::Comm_spawn_multiple, int, fortran::Buffers::by_address>(
      [](int, char**, char***, const int*, const MPI_Info*, int, MPI_Comm comm, MPI_Comm* made, int*) {
        return record::NewComm(comm, made);
      },
      next, words);
}
#endif

}  // namespace

MERIDIAN_BY_HAND(Comm_spawn, 11, spawn)
MERIDIAN_BY_HAND(Comm_spawn_multiple, 12, spawn_multiple)

}  // namespace meridian
