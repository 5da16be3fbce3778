! An image that there is not is read
!# images 2
!# status fails
!# error get: image 3 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  integer :: a[*], i = 3
  sync all
  if (this_image() == 1) then
    a = a[i]
  end if
  sync all
end program
