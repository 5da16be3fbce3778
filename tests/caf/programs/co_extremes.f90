! co_max and co_min of integers, reals and characters, of arrays
!# images 1 4
!>* ok {i}
program co_extremes
  implicit none
  integer(2) :: i(2)
  integer(8) :: l
  real(4) :: r(2, 2)
  real(8) :: d, big
  real(16) :: q
  character(5) :: c(2)
  integer :: n, me
  me = this_image()
  n = num_images()
  i = [me, -me]
  l = 2_8**50*me
  r = reshape([1, 2, 3, 4]*1./me, [2, 2])
  d = -me/3d0
  q = 1._16/(me + 2)
  c = [achar(96 + me)//'bcde', 'same'//achar(65 + n - me)]
  big = merge(huge(1d0), -huge(1d0), me == 1)
  call co_max(i)
  call co_min(l)
  call co_min(r)
  call co_max(d)
  call co_max(q)
  call co_max(c)
  call co_max(big)
  if (any(i /= [n, -1]) .or. l /= 2_8**50) error stop 'integers'
  if (any(r /= reshape([1, 2, 3, 4]*1./n, [2, 2])) .or. d /= -1/3d0 .or. q /= 1._16/3 .or. big /= huge(1d0)) error stop 'reals'
  if (c(1) /= achar(96 + n)//'bcde' .or. c(2) /= 'same'//achar(64 + n)) error stop 'characters'
  call co_min(c)
  if (c(1) /= achar(96 + n)//'bcde') error stop 'equal ones'
  print '(a,i0)', 'ok ', me
end program
