! A section beyond the coarray's end
!# images 2
!# status fails
!# error get: bytes 0 to 44 are not in the coarray, which has 40 bytes
program mistake
  use iso_fortran_env
  implicit none
  integer :: a(10)[*], b(11), i = 11
  sync all
  if (this_image() == 1) then
    b(1:i) = a(1:i)[2]
  end if
  sync all
end program
