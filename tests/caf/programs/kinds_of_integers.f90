! Scalars and arrays of each kind of integers and logicals, read and written
!# images 2
!>* ok {i}
program kinds_of_integers
  implicit none
  integer(1) :: a1[*], b1(5)[*]
  integer(2) :: a2[*], b2(5)[*]
  integer(8) :: a8[*], b8(5)[*]
  integer(16) :: a16[*], b16(5)[*]
  logical(1) :: l1[*], m1(3)[*]
  logical(8) :: l8[*], m8(3)[*]
  integer :: me, o
  me = this_image()
  o = 3 - me
  a1[o] = -100_1 - int(me, 1)
  a2[o] = -30000_2 - int(me, 2)
  a8[o] = 2_8**60 + me
  a16[o] = 2_16**100 + me
  l1[o] = me == 1
  l8[o] = me == 1
  b1(2:4)[o] = [1_1, 2_1, 3_1]*int(me, 1)
  b2(2:4)[o] = [100_2, 200_2, 300_2]*int(me, 2)
  b8(::2)[o] = 2_8**40*me
  b16(5:1:-2)[o] = [3_16, 2_16, 1_16]*2_16**90*me
  m1(:)[o] = [.true., .false., me == 1]
  m8(:)[o] = [me == 1, .false., .true.]
  sync all
  if (a1 /= -100 - o .or. a2 /= -30000 - o .or. a8 /= 2_8**60 + o .or. a16 /= 2_16**100 + o) error stop 'scalars'
  if (l1 .neqv. (o == 1)) error stop 'logical 1'
  if (l8 .neqv. (o == 1)) error stop 'logical 8'
  if (any(b1(2:4) /= [1, 2, 3]*o) .or. any(b2(2:4) /= [100, 200, 300]*o)) error stop 'small arrays'
  if (any(b8(::2) /= 2_8**40*o) .or. any(b16(1:5:2) /= [1_16, 2_16, 3_16]*2_16**90*o)) error stop 'large arrays'
  if (.not. m1(1) .or. m1(2) .or. (m1(3) .neqv. (o == 1)) .or. .not. m8(3) .or. (m8(1) .neqv. (o == 1))) error stop 'logicals'
  if (a16[o] /= 2_16**100 + me .or. any(b16(::2)[o] /= [1_16, 2_16, 3_16]*2_16**90*me)) error stop 'read'
  print '(a,i0)', 'ok ', me
end program
