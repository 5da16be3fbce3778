! A complex scalar coarray: even its own image does not write it
!# wrong the compiler writes and reads a copy
program wrong
  use iso_fortran_env
  implicit none
  complex :: z[*]
  complex :: y
  z = (1, 2)
  sync all
  y = z[1]
  if (y /= (1, 2)) error stop 'copy'
end program
