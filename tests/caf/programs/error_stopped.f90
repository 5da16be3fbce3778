! sync all without stat= where an image has stopped
!# images 2
!# status fails
!# error sync all: image 2 has stopped
program mistake
  implicit none
  integer :: a[*]
  a = 1
  sync all
  if (this_image() == 2) stop
  sync all
end program
