! SPDX-License-Identifier: Apache-2.0
! Parallel regions, a critical region and a lock in Fortran. Prints what it executed, like regions.c.
program fortran
  use omp_lib
  use mpi
  implicit none
  integer :: error, provided, rank, round, shares, total
  integer(omp_lock_kind) :: lock
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call omp_init_lock(lock)
  shares = 0
  total = 0
  do round = 1, 20
    !$omp parallel num_threads(3)
    !$omp critical
    shares = shares + 1
    !$omp end critical
    call omp_set_lock(lock)
    total = total + 2
    call omp_unset_lock(lock)
    !$omp end parallel
  end do
  call omp_destroy_lock(lock)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  print '(i0,a,i0)', rank, ' sum ', total
  print '(i0,a,i0)', rank, ' counted shares ', shares
  print '(i0,a,i0)', rank, ' counted regions ', 20
  call MPI_Finalize(error)
end program
