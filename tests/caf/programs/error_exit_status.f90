! `error stop` with a number that is computed
!# images 2
!# status 42
!# error ERROR STOP 42
program exit_status
  implicit none
  integer :: code
  code = 6*7
  if (this_image() == 2) error stop code
  sync all
end program
