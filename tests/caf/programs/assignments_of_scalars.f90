! A scalar is assigned to each element of another image's section
!# images 2
!>* ok {i}
program assignments_of_scalars
  implicit none
  integer :: a(4, 5)[*], me, o
  real(8) :: r(6)[*]
  character(3) :: c(4)[*]
  logical :: l(5)[*]
  me = this_image()
  o = 3 - me
  a = 0; r = 0; c = '---'; l = .false.
  sync all
  a(2:3, ::2)[o] = me
  r(2::2)[o] = me/4d0
  c(2:3)[o] = 'x'
  l(::2)[o] = .true.
  sync all
  if (sum(a) /= 6*o .or. any(a(2:3, 3) /= o) .or. any(a(1, :) /= 0)) error stop 'integers'
  if (any(r /= [0, 1, 0, 1, 0, 1]*(o/4d0))) error stop 'reals'
  if (any(c /= ['---', 'x  ', 'x  ', '---'])) error stop 'characters'
  if (count(l) /= 3 .or. l(2)) error stop 'logicals'
  print '(a,i0)', 'ok ', me
end program
