! A write to an image that there is not
!# images 3
!# status fails
!# error send: image 4 is none of the 3 images
program put_image
  implicit none
  integer :: a(2)[*], i
  i = num_images() + 1
  a(:)[i] = 1
end program
