! A lock that the image has already
!# images 2
!# status fails
!# error lock: this image has locked it already
program mistake
  use iso_fortran_env
  implicit none
  type(lock_type) :: l[*]
  sync all
  if (this_image() == 1) then
    lock (l[2])
    lock (l[2])
  end if
  sync all
end program
