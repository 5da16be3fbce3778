! A scalar assigned to sections, with conversion
!# images 2
!>* ok {i}
program broadcast_scalar
  implicit none
  integer :: a(10)[*], m(4, 4)[*], rows(2) = [4, 1]
  real :: r(6)[*]
  character(3) :: c(2)[*]
  integer :: o
  o = mod(this_image(), num_images()) + 1
  a = 0; m = 0; r = 0; c = ''
  sync all
  a(2:9:3)[o] = 5
  a(1)[o] = 3.9
  m(2:3, 2:3)[o] = 7_8
  m(rows, 1)[o] = -1
  r(:)[o] = 2
  c(:)[o] = 'xy'
  sync all
  if (any(a /= [3, 5, 0, 0, 5, 0, 0, 5, 0, 0])) error stop 'strided'
  if (sum(m) /= 26 .or. m(1, 1) /= -1 .or. m(4, 1) /= -1 .or. m(3, 2) /= 7) error stop 'matrix'
  if (any(r /= 2) .or. any(c /= 'xy ')) error stop 'others'
  print '(a,i0)', 'ok ', this_image()
end program
