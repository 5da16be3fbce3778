! A vector subscript inside of an expression
!# wrong the compiler passes a copy of this image's elements
program wrong
  use iso_fortran_env
  implicit none
  integer :: a(10)[*], i
  a = [(i, i = 1, 10)]
  sync all
  if (any(a([3, 1, 9])[1] /= [3, 1, 9])) error stop 'copy'
end program
