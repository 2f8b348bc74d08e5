! SPDX-License-Identifier: Apache-2.0
! Calls of the same procedures from several places of a module and of the program. Prints as sites.h says.
#include "../../fortran/dialect.h"
#define NOTE(f, c) call note(f, c, __LINE__)

module places
  implicit none
  integer, parameter :: most = 64
  character(len=32) :: functions(most), callers(most)
  integer :: lines(most), counts(most), known = 0
contains
  subroutine note(f, c, line)
    character(len=*), intent(in) :: f, c
    integer, intent(in) :: line
    integer :: i
    do i = 1, known
      if (lines(i) == line) then
        counts(i) = counts(i) + 1
        return
      end if
    end do
    known = known + 1
    functions(known) = f
    callers(known) = c
    lines(known) = line
    counts(known) = 1
  end subroutine
  subroutine tell()
    integer :: i
    do i = 1, known
      print '(a,1x,a,1x,a,1x,a,1x,i0,1x,i0)', 'site', trim(functions(i)), trim(callers(i)), 'sites.F90', lines(i), counts(i)
    end do
    call flush(6)
  end subroutine
end module

module solver
  implicit none
contains
  subroutine exchange()
    USES
    use places
    INCLUDES
    integer :: taken, error
    STATUS(found)
    integer :: given
    given = 5
    NOTE('MPI_Sendrecv', 'solver::exchange'); call MPI_Sendrecv(given, 1, MPI_INTEGER, 0, 3, taken, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, found, error)
    NOTE('MPI_Barrier', 'solver::exchange'); call MPI_Barrier(MPI_COMM_WORLD, error)
    if (taken /= 5) error stop
  end subroutine
end module

program sites
  USES
  use places
  use solver
  INCLUDES
  integer :: error, i, rank, one, total
  NOTE('MPI_Init', 'sites'); call MPI_Init(error)
  NOTE('MPI_Comm_rank', 'sites'); call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do i = 1, 3 + rank
    NOTE('MPI_Wtime', 'sites'); total = int(MPI_Wtime() * 0)
  end do
  do i = 1, 4
    call exchange()
  end do
  NOTE('MPI_Barrier', 'sites'); call MPI_Barrier(MPI_COMM_WORLD, error)
  one = 1
  NOTE('MPI_Allreduce', 'sites'); call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call note('MPI_Finalize', 'sites', __LINE__ + 2)
  call tell()
  call MPI_Finalize(error)
end program
