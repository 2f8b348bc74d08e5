! SPDX-License-Identifier: Apache-2.0
! Messages of every kind, with statuses and without, to the next rank in a ring. Every received number is printed.
#include "dialect.h"
program messages
  USES
  implicit none
  INCLUDES
  integer, parameter :: many = 40, too_many = 1100
  integer :: ierror, rank, ranks, next, previous, i, n, got, indx, done, indices(many), received, provided
  integer :: numbers(10), room(10), each(many), rooms(many), ones(too_many), others(too_many)
  logical :: flag
  REQUEST :: one, two(2), list(2 * many), long_list(2 * too_many)
  MESSAGE :: found
  STATUS(state)
  STATUSES(states, 2 * many)

  received = 0
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  numbers = [(100 * rank + i, i = 1, 10)]

  ! Blocking, the status looked at and not.
  call MPI_Isend(numbers, 10, MPI_INTEGER, next, 11, MPI_COMM_WORLD, one, ierror)
  call MPI_Recv(room, 10, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, state, ierror)
  call MPI_Get_count(state, MPI_INTEGER, n, ierror)
  call show('recv', [SOURCE_OF(state) - previous, TAG_OF(state), n, ierror, room - 100 * previous])
  call MPI_Wait(one, MPI_STATUS_IGNORE, ierror)
  call show('null', [merge(1, 0, one == MPI_REQUEST_NULL), ierror])
  room = 100 * previous
  call MPI_Isend(numbers, 5, MPI_INTEGER, next, 12, MPI_COMM_WORLD, one, ierror)
  call MPI_Recv(room, 10, MPI_INTEGER, previous, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call show('ignored', [ierror, room - 100 * previous])
  call MPI_Wait(one, state, ierror)
  received = received + 15 * 4

  ! Exchanges.
  call MPI_Sendrecv(numbers, 3, MPI_INTEGER, next, 13, room, 10, MPI_INTEGER, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call show('sendrecv', [ierror, room(1:3) - 100 * previous])
  room = numbers
  call MPI_Sendrecv_replace(room, 10, MPI_INTEGER, next, 14, previous, 14, MPI_COMM_WORLD, state, ierror)
  call show('replaced', [SOURCE_OF(state) - previous, TAG_OF(state), room - 100 * previous])
  call MPI_Sendrecv(numbers, 1, MPI_INTEGER, MPI_PROC_NULL, 1, room, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &
                    state, ierror)
  call show('nobody', [merge(1, 0, SOURCE_OF(state) == MPI_PROC_NULL)])
  received = received + 13 * 4

  ! Probes.
  call MPI_Isend(numbers, 2, MPI_INTEGER, next, 15, MPI_COMM_WORLD, one, ierror)
  call MPI_Probe(previous, 15, MPI_COMM_WORLD, state, ierror)
  call MPI_Get_count(state, MPI_INTEGER, n, ierror)
  flag = .false.
  do while (.not. flag)
    call MPI_Iprobe(MPI_ANY_SOURCE, 15, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_Mprobe(previous, 15, MPI_COMM_WORLD, found, state, ierror)
  call MPI_Mrecv(room, 10, MPI_INTEGER, found, MPI_STATUS_IGNORE, ierror)
  call show('probed', [n, TAG_OF(state), room(1:2) - 100 * previous])
  flag = .false.
  do while (.not. flag)
    call MPI_Test(one, flag, MPI_STATUS_IGNORE, ierror)
  end do
  received = received + 2 * 4

  ! Lists: statuses wanted, and ignored beyond what a tracer keeps on its stack.
  call start_list()
  call MPI_Waitall(2 * many, list, states, ierror)
  call show('waitall', [ierror, (SOURCE_OF_ONE(states, i) - previous, i = 1, many), rooms - 100 * previous])
  call start_list()
  call MPI_Waitall(2 * many, list, MPI_STATUSES_IGNORE, ierror)
  call show('waitall ignored', [ierror, rooms - 100 * previous])
  call start_list()
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(2 * many, list, flag, MPI_STATUSES_IGNORE, ierror)
  end do
  call show('testall', [ierror, rooms - 100 * previous])
  call start_list()
  done = 0
  do i = 1, 2 * many
    call MPI_Waitany(2 * many, list, indx, MPI_STATUS_IGNORE, ierror)
    done = done + indx
  end do
  call MPI_Waitany(2 * many, list, indx, state, ierror)
  call show('waitany', [done, merge(1, 0, indx == MPI_UNDEFINED), rooms - 100 * previous])
  call start_list()
  do  ! until none is left: what Testany then says of the index is not the same in MPICH's three dialects
    call MPI_Testany(2 * many, list, indx, flag, state, ierror)
    if (all([(list(i) == MPI_REQUEST_NULL, i = 1, 2 * many)])) exit
  end do
  call show('testany', rooms - 100 * previous)
  call start_list()
  done = 0
  do
    call MPI_Waitsome(many, list, got, indices, MPI_STATUSES_IGNORE, ierror)
    if (got == MPI_UNDEFINED) exit
    done = done + sum(indices(1:got))
  end do
  do
    call MPI_Testsome(many, list(many + 1:2 * many), got, indices, states, ierror)
    if (got == MPI_UNDEFINED) exit
    done = done + sum(indices(1:got))
  end do
  call show('some', [done, rooms - 100 * previous])
  ones = rank
  others = -1
  do i = 1, too_many
    call MPI_Irecv(others(i), 1, MPI_INTEGER, previous, 1000 + i, MPI_COMM_WORLD, long_list(i), ierror)
  end do
  do i = 1, too_many
    call MPI_Isend(ones(i), 1, MPI_INTEGER, next, 1000 + i, MPI_COMM_WORLD, long_list(too_many + i), ierror)
  end do
  call MPI_Waitall(2 * too_many, long_list, MPI_STATUSES_IGNORE, ierror)
  call show('long list', [ierror, minval(others) - previous, maxval(others) - previous])

  ! Persistent requests, cancelled and freed ones.
  call MPI_Recv_init(room, 10, MPI_INTEGER, previous, 20, MPI_COMM_WORLD, two(1), ierror)
  call MPI_Send_init(numbers, 4, MPI_INTEGER, next, 20, MPI_COMM_WORLD, two(2), ierror)
  do i = 1, 3
    call MPI_Startall(2, two, ierror)
    call MPI_Waitall(2, two, MPI_STATUSES_IGNORE, ierror)
    call MPI_Start(two(1), ierror)
    call MPI_Start(two(2), ierror)
    call MPI_Waitall(2, two, states, ierror)
  end do
  call show('persistent', [ierror, room(1:4) - 100 * previous])
  call MPI_Request_free(two(1), ierror)
  call MPI_Request_free(two(2), ierror)
  call MPI_Irecv(room, 1, MPI_INTEGER, previous, 21, MPI_COMM_WORLD, one, ierror)
  call MPI_Cancel(one, ierror)
  call MPI_Wait(one, state, ierror)
  call MPI_Test_cancelled(state, flag, ierror)
  call show('cancelled', [merge(1, 0, flag)])
#ifdef DIALECT_F08
  ! Without ierror, which Fortran 2008 may leave out.
  call MPI_Isend(numbers, 1, MPI_INTEGER, next, 22, MPI_COMM_WORLD, one)
  call MPI_Recv(room, 1, MPI_INTEGER, previous, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  two(1) = one
  call MPI_Waitall(1, two, MPI_STATUSES_IGNORE)
  call show('without ierror', [room(1) - 100 * previous])
  received = received + 4
  call MPI_Barrier(MPI_COMM_WORLD)
#endif
  print '(a, i0, a, i0)', 'EXPECT ', rank, ' received_bytes ', received
  call MPI_Finalize(ierror)

contains

  subroutine start_list()
    integer :: k
    each = [(100 * rank + k, k = 1, many)]
    rooms = -1
    do k = 1, many
      call MPI_Irecv(rooms(k), 1, MPI_INTEGER, previous, 100 + k, MPI_COMM_WORLD, list(k), ierror)
    end do
    do k = 1, many
      call MPI_Isend(each(k), 1, MPI_INTEGER, next, 100 + k, MPI_COMM_WORLD, list(many + k), ierror)
    end do
  end subroutine

  subroutine show(what, values)
    character(len=*), intent(in) :: what
    integer, intent(in) :: values(:)
    print '(i0, 1x, a, *(1x, i0))', rank, what, values
  end subroutine
end program
