! SPDX-License-Identifier: Apache-2.0
! One message. The barrier parts the line of the tool from that of the program: a launcher may mix lines of two ranks.
program send
  use mpi
  implicit none
  integer :: ierror, rank, value
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  value = 42
  if (rank == 0) call MPI_Send(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierror)
  if (rank == 1) call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 1) print '(a, i0)', 'value ', value
  call MPI_Finalize(ierror)
end program
