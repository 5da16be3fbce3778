! image_status of an image that there is not
!# images 2
!# status fails
!# error image_status: image 3 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  integer :: a[*], i = 3
  sync all
  if (this_image() == 1) then
    a = image_status(i)
  end if
  sync all
end program
