! stop with a code on all images
!# images 1 3
!# status 7
!# error STOP 7
program stopping
  implicit none
  integer :: a[*]
  a = 1
  sync all
  stop 7
end program
