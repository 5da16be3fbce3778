! stat= of a write
!# wrong the compiler leaves it out
program wrong
  use iso_fortran_env
  implicit none
  integer :: a[*], s
  s = 77
  sync all
  a[1, stat=s] = 1
  if (s /= 0) error stop 'not written'
end program
