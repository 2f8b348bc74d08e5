! SPDX-License-Identifier: Apache-2.0
program user_events
  use mpi
  use meridian_user
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  type(meridian_definition), save :: solve = meridian_definition('region', 'solve')
  integer :: e, rank, n, i
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, n, e)
  do i = 1, 3
    call meridian_region_begin(solve)
    call meridian_counter('residual', 1.0d0/i)
    call MPI_Barrier(MPI_COMM_WORLD, e)
    call meridian_event('pool', 'STEAL_REQUEST', [int(rank, int64), 2_int64])
    call meridian_region_end(solve)
  end do
  call meridian_region_begin('io'); call meridian_region_end('io')
  call meridian_marker('restart')
  call meridian_off(); call meridian_on()
  call meridian_send('queue', mod(rank + 1, n), 1, 10_int64)
  call meridian_off('pool')
  call meridian_event('pool', 'STEAL_REQUEST', [int(rank, int64), 2_int64])
  call MPI_Barrier(MPI_COMM_WORLD, e)
  call meridian_recv('queue', mod(rank + n - 1, n), 1, 10_int64)
  call MPI_Finalize(e)
  if (rank == 0) print *, "user_events", n
end program
