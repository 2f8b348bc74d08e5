! SPDX-License-Identifier: Apache-2.0
! Only a session: MPI_COMM_WORLD is never made.
#include "dialect.h"
program sessions
  USES
  implicit none
  INCLUDES
  integer :: ierror, rank, ranks, got, total
  COMM :: everybody, itself
#ifdef DIALECT_F08
  type(MPI_Session) :: session
#else
  integer :: session
#endif

  got = -1
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session, ierror)
  call make('mpi://SELF', itself)
  call make('mpi://WORLD', everybody)
  call MPI_Comm_rank(everybody, rank, ierror)
  call MPI_Comm_size(everybody, ranks, ierror)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, got, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 0, &
                    everybody, MPI_STATUS_IGNORE, ierror)
  if (got /= mod(rank + ranks - 1, ranks)) stop 3
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, 0, 1, got, 1, MPI_INTEGER, 0, 1, itself, MPI_STATUS_IGNORE, ierror)
  if (got /= rank) stop 4
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, everybody, ierror)
  if (total /= ranks * (ranks - 1) / 2) stop 5
  call MPI_Comm_free(everybody, ierror)
  call MPI_Comm_free(itself, ierror)
  call MPI_Session_finalize(session, ierror)
  if (rank == 0) print '(a,i0,a)', 'sessions on ', ranks, ' ranks: done'

contains

  subroutine make(processes, made)
    character(*), intent(in) :: processes
    COMM :: made
    GROUP :: members
    call MPI_Group_from_session_pset(session, processes, members, ierror)
    call MPI_Comm_create_from_group(members, 'meridian.sessions', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, made, ierror)
    call MPI_Group_free(members, ierror)
  end subroutine
end program
