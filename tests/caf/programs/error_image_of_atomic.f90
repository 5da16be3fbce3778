! An atomic variable at an image that there is not
!# images 2
!# status fails
!# error atomic operation: image 7 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  integer(atomic_int_kind) :: a[*]
  integer :: i = 7
  sync all
  if (this_image() == 1) then
    call atomic_add(a[i], 1)
  end if
  sync all
end program
