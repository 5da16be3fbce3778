! error stop on one image ends all, with its code
!# images 1 3
!# status 5
!# error ERROR STOP 5
program stopping
  implicit none
  integer :: a[*]
  a = 1
  if (this_image() == num_images()) error stop 5
  sync images (num_images())
end program
