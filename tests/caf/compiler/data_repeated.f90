! A repeat count in a data statement of a coarray: the value comes once, and those behind it too early
!# wrong the second 7 is left out
program data_repeated
  implicit none
  integer, save :: a(4)[*]
  data a /1, 2*7, 3/
  if (any(a /= [1, 7, 7, 3])) error stop 'data'
end program
