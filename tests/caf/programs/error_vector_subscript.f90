! A vector subscript beyond the coarray's end
!# images 2
!# status fails
!# error get: bytes .* are not in the coarray, which has 40 bytes
program mistake
  use iso_fortran_env
  implicit none
  integer :: a(10)[*], b(2), i(2) = [3, 200]
  sync all
  if (this_image() == 1) then
    b = a(i)[2]
  end if
  sync all
end program
