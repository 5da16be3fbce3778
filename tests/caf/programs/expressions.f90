! Several images' values in one expression, and in conditions
!# images 3
!>* ok {i}
program expressions
  implicit none
  integer :: a[*], b(3)[*], me, i, s
  logical :: is_odd[*]
  me = this_image()
  a = me*me
  b = [me, 2*me, 3*me]
  is_odd = mod(me, 2) == 1
  sync all
  if (a[1] + a[2]*a[3] /= 1 + 4*9) error stop 'scalars'
  if (any(b(:)[1] + b(:)[2]*b(3:1:-1)[3] /= [1, 2, 3] + [2, 4, 6]*[9, 6, 3])) error stop 'arrays'
  if (is_odd[1] .neqv. .not. is_odd[2]) error stop 'logicals'
  s = 0
  do i = 1, num_images()
    if (is_odd[i]) s = s + a[i]
  end do
  if (s /= 10) error stop 'conditions'
  select case (b(2)[3])
  case (6); continue
  case default; error stop 'select case'
  end select
  s = 0
  do i = a[1], b(3)[2], b(2)[1]
    s = s + i
  end do
  if (s /= 1 + 3 + 5) error stop 'bounds of a loop'
  if (b(b(1)[2])[b(1)[3]] /= 6) error stop 'subscripts'
  if (-a[2]**2 /= -16 .or. real(a[3])/2 /= 4.5) error stop 'operators'
  print '(a,i0)', 'ok ', me
end program
