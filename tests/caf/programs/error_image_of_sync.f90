! sync images with an image that there is not
!# images 2
!# status fails
!# error sync images: image 4 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  integer :: a[*], i = 4
  sync all
  if (this_image() == 1) then
    sync images (i)
  end if
  sync all
end program
