! Sections of different sizes
!# images 2
!# status fails
!# error get: 4 elements are assigned to 3
program mistake
  use iso_fortran_env
  implicit none
  integer :: a(10)[*], b(10), i = 4, j = 3
  sync all
  if (this_image() == 1) then
    b(1:2*j:2) = a(1:2*i:2)[2]
  end if
  sync all
end program
