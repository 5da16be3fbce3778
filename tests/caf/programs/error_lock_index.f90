! A lock behind the last one of an array
!# images 2
!# status fails
!# error lock: bytes 16 to 24 are not in the coarray, which has 16 bytes at each image
program lock_index
  use iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: l(2)[*]
  integer :: i
  i = 3
  lock (l(i)[1])
end program
