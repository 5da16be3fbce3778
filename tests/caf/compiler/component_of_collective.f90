! A component of an array in a collective is handed over as an array of the derived type.
!# wrong it is refused: not defined for derived types
program p
  type t
    real :: re, im
    integer :: k
  end type
  type(t) :: x(4)
  x%re = this_image(); x%im = 0; x%k = 100
  call co_sum(x%re)
  print *, x(1)
end program
