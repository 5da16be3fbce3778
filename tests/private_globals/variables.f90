! Variables of every kind that Fortran has.
module of_module
  implicit none
  integer, target :: plain = 5
  real(8) :: matrix(50, 50) = 1.5d0
  real(8), allocatable :: later(:)
  character(len=12) :: text = 'begin ', line
  real(16) :: quad = 7.0_16
end module

subroutine count_calls(value)
  implicit none
  integer, intent(out) :: value
  integer, save :: calls = 0
  integer :: shared
  common /block/ shared
  calls = calls + 1
  shared = shared + 1
  value = 1000 * calls + shared
end subroutine

! None of that is left when the job has gone back.
subroutine spoil() bind(c, name='spoil')
  use of_module
  implicit none
  integer :: shared
  common /block/ shared
  plain = -1000
  shared = -1000
  matrix = -1000
  later(:500) = -1000
  deallocate(later)
  text = 'spoiled'
  call count_calls(shared)
end subroutine

program variables
  use of_module
  use iso_c_binding
  implicit none
  interface
    function armci_init() bind(c, name='PARMCI_Init') result(status)
      import c_int
      integer(c_int) :: status
    end function
    function armci_finalize() bind(c, name='PARMCI_Finalize') result(status)
      import c_int
      integer(c_int) :: status
    end function
    function armci_msg_me() bind(c, name='armci_msg_me') result(rank)
      import c_int
      integer(c_int) :: rank
    end function
    subroutine armci_msg_finalize() bind(c, name='armci_msg_finalize')
    end subroutine
    subroutine job_move(round) bind(c, name='job_move')
      import c_int
      integer(c_int), value :: round
    end subroutine
    subroutine job_stop(rank) bind(c, name='job_stop')
      import c_int
      integer(c_int), value :: rank
    end subroutine
    subroutine job_spoil_by(function) bind(c, name='job_spoil_by')
      import c_funptr
      type(c_funptr), value :: function
    end subroutine
    subroutine spoil() bind(c, name='spoil')
    end subroutine
    subroutine job_count_areas(rank, variable) bind(c, name='job_count_areas')
      import c_int, c_ptr
      integer(c_int), value :: rank
      type(c_ptr), value :: variable
    end subroutine
    subroutine job_well(rank) bind(c, name='job_well')
      import c_int
      integer(c_int), value :: rank
    end subroutine
    subroutine job_need(holds, words) bind(c, name='job_need')
      import c_int, c_char
      integer(c_int), value :: holds
      character(kind=c_char), intent(in) :: words(*)
    end subroutine
  end interface
  integer :: me, round, value, shared
  common /block/ shared

  call need(armci_init() == 0, 'to join')
  me = armci_msg_me()
  call need(plain == 5 .and. all(matrix == 1.5d0) .and. text == 'begin', 'at first')
  call need(.not. allocated(later), 'an allocatable at first')
  plain = me
  shared = 10 * me
  matrix = me
  allocate(later(1000))
  later = me
  text(1:5) = achar(65 + me) // 'here'
  call job_spoil_by(c_funloc(spoil))
  do round = 0, 5
    if (round == 3) call job_stop(me)
    call job_move(round)
    call count_calls(value)
    call need(plain == me .and. all(matrix == me), 'of a module')
    call need(all(later == me), 'an allocatable')
    call need(value == 1000 * (round + 1) + 10 * me + round + 1, 'save and common')
    call need(text(1:6) == achar(65 + me) // 'here ', 'text')
  end do
  quad = me + 2
  write(line, '(f9.5)') sqrt(quad)
  read(line, *) quad
  call need(abs(quad**2 - me - 2) < 1e-3_16 * (me + 2), 'of 16 bytes')
  call job_count_areas(me, c_loc(plain))
  call job_well(me)
  call need(armci_finalize() == 0, 'to leave')
  call armci_msg_finalize()

contains
  subroutine need(holds, words)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: words
    call job_need(merge(1, 0, holds), words // c_null_char)
  end subroutine
end program
