! A subscript beyond the coarray's end
!# images 2
!# status fails
!# error get: bytes 400 to 404 are not in the coarray, which has 40 bytes
program mistake
  use iso_fortran_env
  implicit none
  integer :: a(10)[*], i = 101
  sync all
  if (this_image() == 1) then
    a(1) = a(i)[2]
  end if
  sync all
end program
