! A lock that another image has
!# images 2
!# status fails
!# error unlock: another image has locked it
program mistake
  use iso_fortran_env
  implicit none
  type(lock_type) :: l[*]
  if (this_image() == 2) lock (l[1])
  sync all
  if (this_image() == 1) then
    unlock (l[1])
  end if
  sync all
end program
