! SPDX-License-Identifier: Apache-2.0
! Parents and children in Fortran, by `use mpi` or (-DF08) `use mpi_f08`; the output is as in worlds.c.
program spawn
#ifdef F08
  use mpi_f08
#define COMM type(MPI_Comm)
#define INFO type(MPI_Info)
#define MY_STATUS type(MPI_Status) :: status
#else
  use mpi
#define COMM integer
#define INFO integer
#define MY_STATUS integer :: status(MPI_STATUS_SIZE)
#endif
  implicit none
  COMM :: parents, inter
  INFO :: infos(2)
  MY_STATUS
  integer :: rank, there, error, i, codes(3), buffer(8)
  character(len=200) :: program_name
  character(len=200) :: programs(2)
  character(len=8) :: no_arguments(2, 1)
  character(len=1) :: own, other
  integer, parameter :: one_two(2) = [1, 2]
  interface
    function getpid() bind(c, name="getpid")
      use iso_c_binding
      integer(c_int) :: getpid
    end function
  end interface

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_get_parent(parents, error)
  call get_command_argument(0, program_name)
  codes = -7
  buffer = 0
  if (parents == MPI_COMM_NULL) then
    own = 'A'
    other = 'B'
  else
    own = 'B'
    other = 'A'
  end if
  write (*, '(a,a,i0,a,i0)') 'process ', own, rank, ' ', getpid()
  flush (6)
  if (parents == MPI_COMM_NULL) then
    call MPI_Info_create(infos(1), error)
    infos(2) = MPI_INFO_NULL
#ifdef MULTIPLE
    programs = program_name
    no_arguments = ' '
    call MPI_Comm_spawn_multiple(2, programs, no_arguments, one_two, infos, 0, MPI_COMM_WORLD, inter, codes, error)
#else
    call MPI_Comm_spawn(program_name, MPI_ARGV_NULL, 3, infos(1), 0, MPI_COMM_WORLD, inter, codes, error)
#endif
    call MPI_Info_get_nkeys(infos(1), i, error)
    if (rank == 0) write (*, '(a,5(1x,i0))') 'spawned', codes, error, i
    flush (6)
    call MPI_Info_free(infos(1), error)
  else
    inter = parents
  end if
  call MPI_Comm_remote_size(inter, there, error)
  if (own == 'A') then
    do i = 0, there - 1
      call MPI_Send(buffer, 1 + rank, MPI_INTEGER, i, 3 + i, inter, error)
      write (*, '(3a,i0,3a,i0,2(1x,i0))') 'send ', own, '', rank, ' ', other, '', i, 3 + i, 4 * (1 + rank)
      flush (6)
    end do
  else
    do i = 0, there - 1
      call MPI_Recv(buffer, 8, MPI_INTEGER, i, 3 + rank, inter, status, error)
      write (*, '(3a,i0,3a,i0,2(1x,i0))') 'recv ', other, '', i, ' ', own, '', rank, 3 + rank, 4 * (1 + i)
      flush (6)
    end do
  end if
  call MPI_Barrier(inter, error)
  write (*, '(3a,i0)') 'coll AB.barrier ', own, '', rank
  flush (6)
  call MPI_Comm_disconnect(inter, error)
  call MPI_Finalize(error)
end program
