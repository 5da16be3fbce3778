! Vector subscripts of all integer kinds, beside triplets and single subscripts
!# images 1 2
!>* ok {i}
program vector_subscripts
  implicit none
  integer :: a(3:12)[*], m(5:9, 2:7)[*], b(4), c(2, 3), i, o, me
  integer(1) :: i1(4) = int([12, 3, 7, 7], 1)
  integer(2) :: i2(4) = int([12, 3, 7, 7], 2)
  integer :: i4(4) = [12, 3, 7, 7], rows(2) = [9, 5], columns(3) = [2, 7, 4]
  integer(8) :: i8(4) = [12, 3, 7, 7]
  me = this_image(); o = mod(me, num_images()) + 1
  a = [(me*100 + i, i = 3, 12)]
  m = reshape([(me*100 + i, i = 1, 30)], [5, 6])
  sync all
  b = a(i1)[o]; if (any(b /= o*100 + i1)) error stop 'kind 1'
  b = a(i2)[o]; if (any(b /= o*100 + i2)) error stop 'kind 2'
  b = a(i4)[o]; if (any(b /= o*100 + i4)) error stop 'kind 4'
  b = a(i8)[o]; if (any(b /= o*100 + i8)) error stop 'kind 8'
  c = m(rows, columns)[o]
  do i = 1, 3
    if (any(c(:, i) /= o*100 + rows - 4 + 5*(columns(i) - 2))) error stop 'both'
  end do
  b(1:3) = m(6, columns)[o]
  if (any(b(1:3) /= o*100 + 2 + 5*(columns - 2))) error stop 'row'
  c = m(rows, 2:6:2)[o]
  do i = 1, 3
    if (any(c(:, i) /= o*100 + rows - 4 + 5*(2*i - 2))) error stop 'with a triplet'
  end do
  sync all
  a(i4(1:3))[o] = [1, 2, 3]
  m(rows, 3)[o] = -5
  sync all
  if (a(12) /= 1 .or. a(3) /= 2 .or. a(7) /= 3 .or. a(4) /= me*100 + 4) error stop 'written'
  if (m(9, 3) /= -5 .or. m(5, 3) /= -5 .or. m(6, 3) /= me*100 + 7) error stop 'matrix written'
  print '(a,i0)', 'ok ', me
end program
