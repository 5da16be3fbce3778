! Elemental functions of other images' arrays; values by `value`
!# images 2
!>* ok {i}
program elemental_functions
  implicit none
  integer :: a(2, 2)[*], me, o
  real(8) :: x(3)[*]
  me = this_image()
  o = 3 - me
  a = reshape([1, 2, 3, 4], [2, 2])*me
  x = [0.25d0, 1d0, 4d0]*me**2
  sync all
  if (any(square(a(:, :)[o]) /= reshape([1, 4, 9, 16], [2, 2])*o**2)) error stop 'own function'
  if (any(abs(sqrt(x(:)[o]) - [0.5d0, 1d0, 2d0]*o) > 1d-12)) error stop 'sqrt'
  if (any(int(x(2:)[o]) /= [1, 4]*o**2) .or. by_value(a(2, 2)[o]) /= 4*o + 1) error stop 'int and value'
  if (any(mod(a(2, :)[o], 3) /= mod([2, 4]*o, 3))) error stop 'mod'
  print '(a,i0)', 'ok ', me
contains
  elemental integer function square(n)
    integer, intent(in) :: n
    square = n*n
  end function
  integer function by_value(n)
    integer, value :: n
    n = n + 1
    by_value = n
  end function
end program
