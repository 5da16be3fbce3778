! Lower bounds other than 1, and several codimensions
!# images 1 4
!>* ok {i}
program bounds
  implicit none
  real :: a(-3:4, 0:2)[2, -1:*]
  real, allocatable :: b(:)[:, :]
  integer :: me, n, i, p, q
  me = this_image(); n = num_images()
  allocate (b(5:9)[0:1, *])
  a = me; b = [(me*10 + i, i = 5, 9)]
  if (lbound(b, 1) /= 5 .or. ubound(b, 1) /= 9) error stop 'bounds'
  sync all
  do i = 1, n
    p = mod(i - 1, 2); q = (i - 1)/2
    if (a(-3, 0)[p + 1, q - 1] /= i) error stop 'scalar'
    if (any(b(6:8)[p, q + 1] /= [i*10 + 6, i*10 + 7, i*10 + 8])) error stop 'section'
  end do
  sync all
  i = mod(me, n) + 1
  a(4, 2)[mod(i - 1, 2) + 1, (i - 1)/2 - 1] = -me
  sync all
  if (a(4, 2) /= -(mod(me + n - 2, n) + 1) .or. a(3, 2) /= me) error stop 'written'
  print '(a,i0)', 'ok ', me
end program
