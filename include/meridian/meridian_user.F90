! SPDX-License-Identifier: Apache-2.0
! User events for Fortran 2003 and later: the same as <meridian/user.h>. Compile this file with the program; nothing has to be
! linked (glibc before 2.34: -ldl), and without the tracer every call returns at once.
!
!   use meridian_user
!   type(meridian_definition), save :: solve = meridian_definition('region', 'solve')
!   call meridian_region_begin(solve);  call meridian_region_end(solve)
!   call meridian_region_begin('io');   call meridian_region_end('io')        ! by name: looked up at each call
!   call meridian_marker('restart')
!   call meridian_counter('residual', 1.0d-3)
!   call meridian_event('pool', 'STEAL_REQUEST', [1_int64, 2_int64])          ! the definition file names the integers
!   call meridian_send('queue', peer, tag, bytes); call meridian_recv('queue', peer, tag, bytes)
!   call meridian_off();  call meridian_on();  call meridian_off('pool');  call meridian_on('pool')
!
! With -DMERIDIAN_DISABLE every procedure is empty.
module meridian_user
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: meridian_definition, meridian_region_begin, meridian_region_end, meridian_marker, meridian_counter
  public :: meridian_event, meridian_send, meridian_recv, meridian_on, meridian_off

  !> One definition and where the tracer keeps it. Give it the attribute `save`.
  type :: meridian_definition
    character(len=16) :: level = 'region'
    character(len=128) :: name = ''
    type(c_ptr) :: gate = c_null_ptr
  end type meridian_definition

  interface meridian_region_begin
    module procedure region_begin_by_name, region_begin_by_definition
  end interface
  interface meridian_region_end
    module procedure region_end_by_name, region_end_by_definition
  end interface

  integer(c_int), parameter :: kind_region = 1, kind_marker = 2, kind_counter = 4, kind_send = 5, kind_receive = 6
  integer(c_int), parameter :: kind_numbers = 7
  integer(c_int), parameter :: happened = 0, begins = 64, ends = 128

#ifndef MERIDIAN_DISABLE
  type, bind(c) :: gate_type
    integer(c_signed_char) :: on
    type(c_funptr) :: record
  end type gate_type
  type, bind(c) :: api_type
    integer(c_int32_t) :: bytes, reserved
    type(c_funptr) :: define, set
  end type api_type

  abstract interface
    function define_interface(what, level, name) bind(c)
      import :: c_ptr, c_int, c_char
      integer(c_int), value :: what
      character(kind=c_char), intent(in) :: level(*), name(*)
      type(c_ptr) :: define_interface
    end function define_interface
    subroutine set_interface(what, on) bind(c)
      import :: c_ptr, c_int
      type(c_ptr), value :: what
      integer(c_int), value :: on
    end subroutine set_interface
    subroutine record_interface(gate, what, words) bind(c)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: gate
      integer(c_int), value :: what
      integer(c_int64_t), intent(in) :: words(*)
    end subroutine record_interface
  end interface
  interface
    function dlsym(handle, symbol) bind(c, name='dlsym')
      import :: c_ptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_ptr) :: dlsym
    end function dlsym
  end interface

  logical, save :: has_asked = .false.
  type(api_type), pointer, save :: api => null()
#endif

contains

  subroutine region_begin_by_name(name)
    character(len=*), intent(in) :: name
    call happen(kind_region, 'region', name, begins, [0_int64])
  end subroutine region_begin_by_name

  subroutine region_end_by_name(name)
    character(len=*), intent(in) :: name
    call happen(kind_region, 'region', name, ends, [0_int64])
  end subroutine region_end_by_name

  subroutine region_begin_by_definition(region)
    type(meridian_definition), intent(inout) :: region
    call happen_at(region, begins)
  end subroutine region_begin_by_definition

  subroutine region_end_by_definition(region)
    type(meridian_definition), intent(inout) :: region
    call happen_at(region, ends)
  end subroutine region_end_by_definition

  subroutine meridian_marker(text)
    character(len=*), intent(in) :: text
    call happen(kind_marker, 'marker', text, happened, [0_int64])
  end subroutine meridian_marker

  subroutine meridian_counter(name, value)
    character(len=*), intent(in) :: name
    real(real64), intent(in) :: value
    call happen(kind_counter, 'counter', name, happened, [transfer(value, 0_int64)])
  end subroutine meridian_counter

  !> At most 8 values; the definition file (MERIDIAN_EVENTS) says what they are called.
  subroutine meridian_event(level, name, values)
    character(len=*), intent(in) :: level, name
    integer(int64), intent(in) :: values(:)
    character(len=*), parameter :: names = ', value1, value2, value3, value4, value5, value6, value7, value8'
    call happen(kind_numbers, level, trim(name)//names(:8*min(size(values), 8)), happened, values)
  end subroutine meridian_event

  subroutine meridian_send(layer, peer, tag, bytes)
    character(len=*), intent(in) :: layer
    integer, intent(in) :: peer, tag
    integer(int64), intent(in) :: bytes
    call happen(kind_send, 'message', layer, happened, [int(peer, int64), int(tag, int64), bytes])
  end subroutine meridian_send

  subroutine meridian_recv(layer, peer, tag, bytes)
    character(len=*), intent(in) :: layer
    integer, intent(in) :: peer, tag
    integer(int64), intent(in) :: bytes
    call happen(kind_receive, 'message', layer, happened, [int(peer, int64), int(tag, int64), bytes])
  end subroutine meridian_recv

  subroutine meridian_on(what)
    character(len=*), intent(in), optional :: what
    call set(1_c_int, what)
  end subroutine meridian_on

  subroutine meridian_off(what)
    character(len=*), intent(in), optional :: what
    call set(0_c_int, what)
  end subroutine meridian_off

#ifdef MERIDIAN_DISABLE

  subroutine happen(what, level, name, flag, values)
    integer(c_int), intent(in) :: what, flag
    character(len=*), intent(in) :: level, name
    integer(int64), intent(in) :: values(:)
  end subroutine happen

  subroutine happen_at(definition, flag)
    type(meridian_definition), intent(inout) :: definition
    integer(c_int), intent(in) :: flag
  end subroutine happen_at

  subroutine set(on, what)
    integer(c_int), intent(in) :: on
    character(len=*), intent(in), optional :: what
  end subroutine set

#else

  !> Null: there is no tracer.
  subroutine find_api()
    type(c_ptr) :: found
    if (.not. has_asked) then
      found = dlsym(c_null_ptr, 'meridian_user_1'//c_null_char)  ! the null handle: all that is loaded
      if (c_associated(found)) call c_f_pointer(found, api)
      has_asked = .true.
    end if
  end subroutine find_api

  function defined(what, level, name) result(gate)
    integer(c_int), intent(in) :: what
    character(len=*), intent(in) :: level, name
    type(c_ptr) :: gate
    procedure(define_interface), pointer :: define
    call c_f_procpointer(api%define, define)
    gate = define(what, trim(level)//c_null_char, trim(name)//c_null_char)
  end function defined

  subroutine pass(gate, flag, values)
    type(c_ptr), intent(in) :: gate
    integer(c_int), intent(in) :: flag
    integer(int64), intent(in) :: values(:)
    type(gate_type), pointer :: door
    procedure(record_interface), pointer :: record
    if (.not. c_associated(gate)) return
    call c_f_pointer(gate, door)
    if (door%on == 0) return
    call c_f_procpointer(door%record, record)
    call record(gate, flag, values)
  end subroutine pass

  subroutine happen(what, level, name, flag, values)
    integer(c_int), intent(in) :: what, flag
    character(len=*), intent(in) :: level, name
    integer(int64), intent(in) :: values(:)
    call find_api()
    if (associated(api)) call pass(defined(what, level, name), flag, values)
  end subroutine happen

  subroutine happen_at(definition, flag)
    type(meridian_definition), intent(inout) :: definition
    integer(c_int), intent(in) :: flag
    call find_api()
    if (.not. associated(api)) return
    if (.not. c_associated(definition%gate)) definition%gate = defined(kind_region, definition%level, definition%name)
    call pass(definition%gate, flag, [0_int64])
  end subroutine happen_at

  subroutine set(on, what)
    integer(c_int), intent(in) :: on
    character(len=*), intent(in), optional :: what
    procedure(set_interface), pointer :: switch
    character(kind=c_char, len=:), allocatable, target :: text
    call find_api()
    if (.not. associated(api)) return
    call c_f_procpointer(api%set, switch)
    if (present(what)) then
      text = trim(what)//c_null_char
      call switch(c_loc(text), on)
    else
      call switch(c_null_ptr, on)
    end if
  end subroutine set

#endif
end module meridian_user
