! An image 0 is written
!# images 2
!# status fails
!# error send: image 0 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  integer :: a[*], i = 0
  sync all
  if (this_image() == 1) then
    a[i] = 1
  end if
  sync all
end program
