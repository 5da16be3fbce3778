! co_sum of each kind that it takes, of scalars, arrays and sections
!# images 1 3 4
!>* ok {i}
program co_sum_kinds
  implicit none
  integer(1) :: i1
  integer(2) :: i2(2)
  integer(8) :: i8(2, 3)
  integer(16) :: i16
  real(4) :: r4(5)
  real(8) :: r8
  real(16) :: r16
  complex(4) :: c4
  complex(8) :: c8(2)
  integer :: n, s, me, status, part(6)
  me = this_image()
  n = num_images()
  s = n*(n + 1)/2
  i1 = int(me, 1); i2 = int(10*me, 2); i8 = 2_8**40*me; i16 = 2_16**90*me
  r4 = me/2.; r8 = me/4d0; r16 = me/8._16
  c4 = cmplx(me, -me); c8 = cmplx(me, 2*me, 8)
  call co_sum(i1)
  call co_sum(i2)
  call co_sum(i8)
  call co_sum(i16)
  call co_sum(r4)
  call co_sum(r8)
  call co_sum(r16)
  call co_sum(c4)
  call co_sum(c8, stat=status)
  if (i1 /= s .or. any(i2 /= 10*s) .or. any(i8 /= 2_8**40*s) .or. i16 /= 2_16**90*s) error stop 'integers'
  if (any(r4 /= s/2.) .or. r8 /= s/4d0 .or. r16 /= s/8._16) error stop 'reals'
  if (c4 /= cmplx(s, -s) .or. any(c8 /= cmplx(s, 2*s, 8)) .or. status /= 0) error stop 'complex'
  part = me
  call co_sum(part(2:6:2))
  if (any(part(2:6:2) /= s) .or. any(part(1:5:2) /= me)) error stop 'section'
  part = [1, 2, 3, 4, 5, 6]
  call co_sum(part(4:2:-1))
  if (any(part /= [1, 2*n, 3*n, 4*n, 5, 6])) error stop 'backwards'
  print '(a,i0)', 'ok ', me
end program
