! SPDX-License-Identifier: Apache-2.0
! Arguments that are an address in Fortran and a constant in C, texts with hidden lengths, callbacks, collectives and objects.
#include "dialect.h"
module callbacks
  implicit none
  integer :: copies = 0, deletions = 0
contains
  subroutine copy_attribute(comm_, keyval, extra, from, to, flag, ierror)
    USES
#ifdef DIALECT_MPIF
    INCLUDES
#endif
    COMM :: comm_
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, from, to
    logical :: flag
    copies = copies + 1
    to = from + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete_attribute(comm_, keyval, value, extra, ierror)
    USES
#ifdef DIALECT_MPIF
    INCLUDES
#endif
    COMM :: comm_
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

! The user's reduction: keeps the greater of two numbers.
#ifdef DIALECT_F08
subroutine greater(from, into, count_, type_)
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  type(c_ptr), value :: from, into
  integer :: count_
  type(MPI_Datatype) :: type_
  integer, pointer :: a(:), b(:)
  call c_f_pointer(from, a, [count_])
  call c_f_pointer(into, b, [count_])
  b = max(a, b)
end subroutine
#else
subroutine greater(from, into, count_, type_)
  implicit none
  integer :: count_, type_, from(count_), into(count_)
  into = max(from, into)
end subroutine
#endif

program objects
  USES
  use callbacks
  implicit none
  INCLUDES
#ifdef DIALECT_F08
  procedure(MPI_User_function) :: greater
#else
  external :: greater
#endif
  integer :: ierror, rank, ranks, next, previous, i, length, keyval, numbers(4), sums(4), flags, reported
  integer, allocatable :: all(:), sent(:), counts(:), places(:)
  integer(kind=MPI_ADDRESS_KIND) :: address, attribute, window_bytes
  integer(kind=MPI_OFFSET_KIND) :: offset
  logical :: flag
  character(len=MPI_MAX_PROCESSOR_NAME) :: processor
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=12) :: text
  character(len=MPI_MAX_ERROR_STRING) :: message
  COMM :: copy, half, graph
  DATATYPE :: absolute
  DATATYPE, allocatable :: types(:)
  GROUP :: everyone
  INFO :: hints
  FILE_HANDLE :: file
  OPERATION :: op
  REQUEST :: request_
  WINDOW :: window
  integer, target :: exposed(4)
  double precision :: begin

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  begin = MPI_Wtime()
  allocate (all(ranks), sent(ranks), counts(ranks), places(ranks), types(ranks))

  ! MPI_IN_PLACE, with bytes that are known.
  numbers = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call show('allreduce', [ierror, numbers])
  all = -1
  all(rank + 1) = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call show('allgather', [ierror, all])
  all = -1
  all(rank + 1) = 7 * rank
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call show('gather', all)
  else
    call MPI_Gather(all(rank + 1), 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end if
  sums = rank
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, sums, 4, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    call show('reduce', sums)
  else
    call MPI_Reduce(sums, sums, 4, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  end if
  sums = 5
  call MPI_Bcast(sums, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)

  ! MPI_BOTTOM: a datatype that holds the address.
  numbers = [(10 * rank + i, i = 1, 4)]
  call MPI_Get_address(numbers, address, ierror)
  call MPI_Type_create_hindexed(1, [4], [address], MPI_INTEGER, absolute, ierror)
  call MPI_Type_commit(absolute, ierror)
  call MPI_Isend(MPI_BOTTOM, 1, absolute, next, 1, MPI_COMM_WORLD, request_, ierror)
  call MPI_Recv(sums, 4, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Wait(request_, MPI_STATUS_IGNORE, ierror)
  call MPI_Type_free(absolute, ierror)
  call show('bottom', sums - 10 * previous)

  ! Arrays of datatypes, vectors, requests of collectives.
  counts = 1
  places = [(4 * i, i = 0, ranks - 1)]
  types = MPI_INTEGER
  sent = [(100 * rank + i, i = 1, ranks)]
  call MPI_Alltoallw(sent, counts, places, types, all, counts, places, types, MPI_COMM_WORLD, ierror)
  call show('alltoallw', [ierror, all])
  places = [(i, i = 0, ranks - 1)]
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call show('alltoallv', [ierror, all])
  call MPI_Iallreduce(rank, sums, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request_, ierror)
  call MPI_Wait(request_, MPI_STATUS_IGNORE, ierror)
  call show('iallreduce', [sums(1)])
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Op_create(greater, .true., op, ierror)
  call MPI_Scan(rank, sums, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  call MPI_Op_free(op, ierror)
  call show('scan', [sums(1)])

  ! MPI_UNWEIGHTED, and a neighbourhood.
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [previous], MPI_UNWEIGHTED, 1, [next], MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., graph, ierror)
  call MPI_Neighbor_alltoall(rank, 1, MPI_INTEGER, sums, 1, MPI_INTEGER, graph, ierror)
  call MPI_Dist_graph_neighbors_count(graph, i, length, flag, ierror)
  call show('graph', [ierror, i, length, merge(1, 0, flag), sums(1) - previous])
  call MPI_Comm_free(graph, ierror)
  call show('freed', [merge(1, 0, graph == MPI_COMM_NULL)])

  ! Texts with hidden lengths.
  call MPI_Get_processor_name(processor, length, ierror)
  call show('processor', [merge(1, 0, len_trim(processor) == length)])
  call MPI_Comm_set_name(MPI_COMM_WORLD, 'the world   ', ierror)
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierror)
  call say('name', '['//trim(name)//']', length)
  call MPI_Info_create(hints, ierror)
  call MPI_Info_set(hints, 'colour ', ' dark blue  ', ierror)
  call MPI_Info_get(hints, 'colour', 12, text, flag, ierror)
  call say('info', '['//trim(text)//']', merge(1, 0, flag))
  call MPI_Info_free(hints, ierror)

  ! Attributes and their callbacks.
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attribute, flag, ierror)
  call show('tag_ub', [merge(1, 0, flag), merge(1, 0, attribute >= 32767)])
  call MPI_Comm_create_keyval(copy_attribute, delete_attribute, keyval, 1000_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 42_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
  call MPI_Comm_get_attr(copy, keyval, attribute, flag, ierror)
  call show('attribute', [merge(1, 0, flag), int(attribute)])
  call MPI_Comm_free(copy, ierror)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval, ierror)
  call MPI_Comm_free_keyval(keyval, ierror)
  call show('callbacks', [copies, deletions, ierror])

  ! Communicators, groups, errors.
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierror)
  call MPI_Comm_size(half, length, ierror)
  call MPI_Comm_group(half, everyone, ierror)
  call MPI_Group_size(everyone, i, ierror)
  call MPI_Group_free(everyone, ierror)
  call show('half', [length, i])
  call MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN, ierror)
  call MPI_Send(numbers, 1, MPI_INTEGER, 10000, 1, half, reported)
  call MPI_Error_class(reported, i, ierror)
  call MPI_Error_string(reported, message, length, ierror)
  call show('error', [merge(1, 0, i == MPI_ERR_RANK), merge(1, 0, len_trim(message) == length)])
  call MPI_Comm_free(half, ierror)

  ! A window and a file.
  exposed = -1
  window_bytes = 16
  call MPI_Win_create(exposed, window_bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
  call MPI_Win_set_name(window, 'the halo  ', ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Put(numbers, 4, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, window, ierror)
  call MPI_Win_fence(0, window, ierror)
  call MPI_Win_free(window, ierror)
  call show('put', exposed - 10 * previous)
  flags = MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE
  call get_command_argument(1, message)
  call MPI_File_open(MPI_COMM_WORLD, message, flags, MPI_INFO_NULL, file, ierror)
  offset = 16 * rank
  call MPI_File_write_at_all(file, offset, numbers, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
  sums = 0
  call MPI_File_read_at_all(file, offset, sums, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
  call MPI_File_sync(file, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_File_get_size(file, offset, ierror)
  call MPI_File_close(file, ierror)
  call show('file', [ierror, int(offset), sums - 10 * rank])

  ! Recording off and on again.
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Pcontrol(1)
  call show('time', [merge(1, 0, MPI_Wtime() >= begin)])
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' received_bytes ', 16
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Allreduce.send_bytes ', 16
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Allgather.send_bytes ', 0
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Gather.send_bytes ', merge(0, 4, rank == 0)
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Alltoallw.send_bytes ', 4 * ranks
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Alltoallw.receive_bytes ', 4 * ranks
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Alltoallv.receive_bytes ', 4 * ranks
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Neighbor_alltoall.send_bytes ', 4
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_Put.bytes ', 16
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' MPI_File_write_at_all.bytes ', 16
  call get_command_argument(1, message)
  print '(a, i0, 2a)', 'EXPECT ', rank, ' file.name ', trim(message)
  print '(a, i0, a)', 'EXPECT ', rank, ' win.name the halo'
  print '(a, i0, a)', 'EXPECT ', rank, ' comm.name the world'
  call MPI_Finalize(ierror)

contains

  subroutine show(what, values)
    character(len=*), intent(in) :: what
    integer, intent(in) :: values(:)
    print '(i0, 1x, a, *(1x, i0))', rank, what, values
  end subroutine

  subroutine say(what, words, number)
    character(len=*), intent(in) :: what, words
    integer, intent(in) :: number
    print '(i0, 3(1x, a), i0)', rank, what, words, ' ', number
  end subroutine
end program
