// hot
// SPDX-License-Identifier: Apache-2.0

// The procedures of mpif.h and of the module mpi, one per row of the call table. They are wrapped for MPICH as well,
// whose Fortran mostly calls C's MPI_*: some procedures do not (attributes), and some call more than the program did
// (MPI_File_f2c). Calls that the library makes inside a recorded call pass through.

#include "pmpi/fortran/entry.hpp"

// A row's builder uses few of its parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define MERIDIAN_F77_ROW(type, name, params, recorded)                                              \
  MERIDIAN_F77(                                                                                     \
      MERIDIAN_RETURNED(type), MERIDIAN_LOWER_##name, MERIDIAN_UPPER_##name, MERIDIAN_WORDS params, \
      (fortran::row<CallId::name, type, fortran::Buffers::by_address>([] params { return recorded; }, next, words)))

namespace meridian::record {

#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) \
  MERIDIAN_IF(MERIDIAN_HAS_F77_##name, MERIDIAN_FORTRAN_ROW(MERIDIAN_F77_ROW, type, name, params, recorded))
#include "trace/model/mpi_calls.def"

#ifdef OPEN_MPI
// Specific names of generic procedures that return memory as a TYPE(C_PTR).
MERIDIAN_F77(void, alloc_mem_cptr, ALLOC_MEM_CPTR, 6,
             (fortran::row<CallId::Alloc_mem, int, fortran::Buffers::by_address>(
                 [](MPI_Aint size, MPI_Info info, void* base) { return Local(); }, next, words)))
MERIDIAN_F77(void, win_allocate_cptr, WIN_ALLOCATE_CPTR, 9,
             (fortran::row<CallId::Win_allocate, int, fortran::Buffers::by_address>(
                 [](MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
                   return NewWin(comm, win);
                 },
                 next, words)))
MERIDIAN_F77(void, win_allocate_shared_cptr, WIN_ALLOCATE_SHARED_CPTR, 9,
             (fortran::row<CallId::Win_allocate_shared, int, fortran::Buffers::by_address>(
                 [](MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
                   return NewWin(comm, win);
                 },
                 next, words)))
MERIDIAN_F77(void, win_shared_query_cptr, WIN_SHARED_QUERY_CPTR, 8,
             (fortran::row<CallId::Win_shared_query, int, fortran::Buffers::by_address>(
                 [](MPI_Win win, int rank, MPI_Aint* size, int* unit, void* base) { return Win(win); }, next, words)))
#endif

}  // namespace meridian::record
