! Every rank has units of its own, in files of its own: units FOLDER
program units
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
  integer, parameter :: rounds = 6
  character(len=512) :: folder
  character(len=20) :: text
  integer :: me, round, rank, read_round, free, status
  logical :: is_open

  call need(armci_init() == 0, 'to join')
  me = armci_msg_me()
  call get_command_argument(1, folder)
  inquire (unit=10, opened=is_open)
  call need(.not. is_open, 'unit 10 is somebody else''s')
  write (text, '(a,i0)') '/unit.', me
  open (10, file=trim(folder) // trim(text), status='replace', action='readwrite')
  open (newunit=free, file=trim(folder) // trim(text) // '.bin', status='replace', form='unformatted')
  do round = 0, rounds - 1
    if (round == 3) call job_stop(me)
    write (10, *) 'rank', me, 'round', round
    write (free) me, round, [real(8) :: 1, 2, 3]
    call job_move(round)
    ! Internal units.
    write (text, '(i10)') 100 * me + round
    call job_move(round + 1)
    read (text, *) rank
    call need(rank == 100 * me + round, 'an internal unit')
  end do
  rewind (10)
  do round = 0, rounds - 1
    read (10, '(5x,i12,6x,i12)', iostat=status) rank, read_round
    call need(status == 0 .and. rank == me .and. read_round == round, 'the lines of unit 10')
  end do
  read (10, *, iostat=status) text
  call need(status < 0, 'the end of unit 10')
  rewind (free)
  do round = 0, rounds - 1
    read (free, iostat=status) rank, read_round
    call need(status == 0 .and. rank == me .and. read_round == round, 'the records of a new unit')
  end do
  backspace (10)
  ! Unit 10 stays open: the rank's end writes what it holds.
  write (10, *) 'left open'
  close (free)
  call job_well(me)
  call need(armci_finalize() == 0, 'to leave')
  call armci_msg_finalize()
  stop
contains
  subroutine need(holds, words)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: words
    call job_need(merge(1, 0, holds), words // c_null_char)
  end subroutine need
end program units
