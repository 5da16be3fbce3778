! co_min and co_max of numbers and characters
!# images 1 2 4
!>* ok {i}
program extremes
  implicit none
  integer :: i, a(4)
  real(8) :: r, s(6)
  real(16) :: q
  integer(1) :: b
  character(4) :: c, d(2)
  character(3, kind=4) :: w
  integer :: me, n
  me = this_image(); n = num_images()
  i = -me; call co_min(i); if (i /= -n) error stop 'min of integers'
  i = -me; call co_max(i); if (i /= -1) error stop 'max of integers'
  r = me*1.5d0; call co_max(r); if (r /= n*1.5d0) error stop 'max of reals'
  q = me*1.5_16; call co_min(q); if (q /= 1.5_16) error stop 'min of real(16)'
  b = int(me, 1); call co_max(b); if (b /= n) error stop 'max of integer(1)'
  a = [me, -me, n - me, 7]
  call co_max(a); if (any(a /= [n, -1, n - 1, 7])) error stop 'max of arrays'
  s = me
  call co_min(s(6:1:-2), result_image=1)
  if (me == 1 .and. any(s(2:6:2) /= 1)) error stop 'min of a section'
  c = 'im' // char(96 + me); call co_max(c); if (c /= 'im' // char(96 + n)) error stop 'max of characters'
  d = ['zz' // char(48 + me), 'aa' // char(57 - me)]
  call co_min(d); if (d(1) /= 'zz1' .or. d(2) /= 'aa' // char(57 - n)) error stop 'min of characters'
  w = 4_'u' // char(64 + me, kind=4); call co_max(w)
  if (w /= 4_'u' // char(64 + n, kind=4)) error stop 'max of kind 4'
  print '(a,i0)', 'ok ', me
end program
