! an image is named twice
!# images 2
!# status fails
!# error sync images: image 1 is named twice
program mistake
  implicit none
  integer :: a(10)[*]
  a = this_image()
  sync images ([1,2,1])
end program
