! sync images without stat= with an image that has stopped
!# images 2
!# status fails
!# error sync images: image 2 has stopped
program mistake
  implicit none
  integer :: a[*]
  a = 1
  if (this_image() == 2) stop
  sync images (2)
end program
