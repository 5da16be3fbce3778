! Scalars of intrinsic types, read and written at all images
!# images 1 2 4 8
!>* ok {i}
program scalars
  implicit none
  integer :: i[*]
  real(8) :: d[*]
  complex :: z(1)[*]
  logical :: l[*]
  character(7) :: c[*]
  integer :: me, n, other
  me = this_image()
  n = num_images()
  i = -me; d = me/8d0; z(1) = cmplx(me, -me); l = mod(me, 2) == 0; c = 'char' // char(48 + me)
  sync all
  do other = 1, n
    if (i[other] /= -other) error stop 'integer'
    if (d[other] /= other/8d0) error stop 'real'
    if (z(1)[other] /= cmplx(other, -other)) error stop 'complex'
    if (l[other] .neqv. mod(other, 2) == 0) error stop 'logical'
    if (c[other] /= 'char' // char(48 + other)) error stop 'character'
  end do
  sync all
  other = mod(me, n) + 1
  i[other] = me; d[other] = me; z(1)[other] = me; l[other] = me == 1; c[other] = 'to'
  sync all
  other = mod(me + n - 2, n) + 1
  if (i /= other .or. d /= other .or. z(1) /= other) error stop 'numbers written'
  if ((l .neqv. other == 1) .or. c /= 'to') error stop 'others written'
  print '(a,i0)', 'ok ', me
end program
