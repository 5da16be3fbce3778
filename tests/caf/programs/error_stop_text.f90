! error stop with text
!# images 2
!# status fails
!# error ERROR STOP it went wrong
program stopping
  implicit none
  integer :: a[*]
  a = 1
  if (this_image() == 1) error stop 'it went wrong'
  sync all
end program
