! SPDX-License-Identifier: Apache-2.0
! Calls from module procedures, recursion and internal procedures.
#include "../../fortran/dialect.h"
#define NOTE(f) call note_path(f//c_null_char)

module paths
  use iso_c_binding
  implicit none
  interface
    subroutine note_path(name) bind(C)
      import
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface
end module

module solver
  use paths
  implicit none
contains
  subroutine meet()
    USES
    INCLUDES
    integer :: error
    NOTE('MPI_Barrier'); call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine
  recursive subroutine descend(levels)
    integer, intent(in) :: levels
    if (levels > 0) then
      call descend(levels - 1)
    else
      call meet()
    end if
  end subroutine
end module

program stacks
  USES
  use solver
  INCLUDES
  integer :: error, i
  NOTE('MPI_Init'); call MPI_Init(error)
  do i = 0, 12, 3
    call descend(i)
  end do
  call inner()
  NOTE('MPI_Finalize'); call MPI_Finalize(error)
contains
  subroutine inner()
    call meet()
  end subroutine
end program
