! co_broadcast from an image that there is not
!# images 2
!# status fails
!# error co_broadcast: image 3 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  integer :: a = 1, i = 3
  integer :: b[*]
  sync all
  if (this_image() == 1) then
    call co_broadcast(a, i)
  end if
  sync all
end program
