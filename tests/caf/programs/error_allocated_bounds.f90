! bounds that differ between images
!# images 2
!# status fails
!# error the bounds differ: image [12] has allocated
program mistake
  implicit none
  integer, allocatable :: a(:)[:]
  allocate(a(3*this_image())[*])
end program
