! A lock at an image that there is not
!# images 2
!# status fails
!# error lock: image 9 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  type(lock_type) :: l[*]
  integer :: i = 9
  sync all
  if (this_image() == 1) then
    lock (l[i])
  end if
  sync all
end program
