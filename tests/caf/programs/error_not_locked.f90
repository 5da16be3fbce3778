! A lock that nobody has
!# images 2
!# status fails
!# error unlock: it is not locked
program mistake
  use iso_fortran_env
  implicit none
  type(lock_type) :: l[*]
  sync all
  if (this_image() == 1) then
    unlock (l[2])
  end if
  sync all
end program
