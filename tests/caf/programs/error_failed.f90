! sync all without stat= where an image has failed
!# images 3
!# status fails
!# error sync all: image 1 has failed
program mistake
  implicit none
  integer :: a[*]
  a = 1
  if (this_image() == 1) fail image
  sync all
end program
