! co_sum of all numbers, arrays, sections, with result_image=
!# images 1 2 3 4
!>* ok {i}
program co_sums
  implicit none
  integer(1) :: i1
  integer(2) :: i2
  integer :: i4, a(3, 2), s(10)
  integer(8) :: i8
  integer(16) :: i16
  real :: r4
  real(8) :: r8, big(5000)
  real(16) :: r16
  complex :: c4
  complex(8) :: c8(2)
  complex(16) :: c16
  integer :: me, n, t, i, status
  me = this_image(); n = num_images(); t = n*(n + 1)/2
  i1 = int(me, 1); i2 = int(me, 2); i4 = me; i8 = me; i16 = me
  r4 = me; r8 = me; r16 = me; c4 = cmplx(me, -me); c8 = c4; c16 = c4
  call co_sum(i1); if (i1 /= t) error stop 'integer(1)'
  call co_sum(i2); if (i2 /= t) error stop 'integer(2)'
  call co_sum(i4); if (i4 /= t) error stop 'integer(4)'
  call co_sum(i8, stat=status); if (i8 /= t .or. status /= 0) error stop 'integer(8)'
  call co_sum(i16); if (i16 /= t) error stop 'integer(16)'
  call co_sum(r4); if (r4 /= t) error stop 'real(4)'
  call co_sum(r8); if (r8 /= t) error stop 'real(8)'
  call co_sum(r16); if (r16 /= t) error stop 'real(16)'
  call co_sum(c4); if (c4 /= cmplx(t, -t)) error stop 'complex(4)'
  call co_sum(c8); if (any(c8 /= cmplx(t, -t))) error stop 'complex(8)'
  call co_sum(c16); if (c16 /= cmplx(t, -t)) error stop 'complex(16)'
  a = reshape([(me*i, i = 1, 6)], [3, 2])
  call co_sum(a); if (any(a /= reshape([(t*i, i = 1, 6)], [3, 2]))) error stop 'array'
  s = me
  call co_sum(s(2:10:2))
  if (any(s(2:10:2) /= t) .or. any(s(1:9:2) /= me)) error stop 'section'
  big = me
  call co_sum(big, result_image=n)
  if (me == n .and. any(big /= t)) error stop 'result_image'
  print '(a,i0)', 'ok ', me
end program
