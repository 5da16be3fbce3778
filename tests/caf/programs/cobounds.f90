! Cobounds, cosubscripts and image numbers (Fortran 2018, 9.6, 16.9.93, 16.9.190)
!# images 1 4 6
!>* ok {i}
program cobounds
  implicit none
  integer :: a[0:*], b[2:3, -1:*], c(2)[2, 1:1, 5:*]
  integer :: me, n, sub(2), below(1)
  me = this_image()
  n = num_images()
  below = -1
  if (lcobound(a, 1) /= 0 .or. ucobound(a, 1) /= n - 1) error stop 'bounds of a'
  if (any(lcobound(b) /= [2, -1]) .or. ucobound(b, 1) /= 3 .or. ucobound(b, 2) /= (n + 1)/2 - 2) error stop 'bounds of b'
  if (any(lcobound(c) /= [1, 1, 5]) .or. ucobound(c, 3) /= (n + 1)/2 + 4) error stop 'bounds of c'
  if (this_image(a, 1) /= me - 1) error stop 'this_image(a)'
  sub = this_image(b)
  if (any(sub /= [2 + mod(me - 1, 2), (me - 1)/2 - 1])) error stop 'this_image(b)'
  if (image_index(b, sub) /= me) error stop 'image_index'
  if (image_index(a, [n - 1]) /= n .or. image_index(a, [n]) /= 0 .or. image_index(a, below) /= 0) error stop 'beyond'
  a = 10*me
  b = 20*me
  c = 30*me
  sync all
  if (a[n - 1] /= 10*n .or. a[0] /= 10) error stop 'a'
  if (b[sub(1), sub(2)] /= 20*me .or. b[2, -1] /= 20) error stop 'b'
  if (any(c(:)[1 + mod(n - 1, 2), 1, 5 + (n - 1)/2] /= 30*n)) error stop 'c'
  sync all
  a[mod(me, n)] = me
  sync all
  if (a /= merge(n, me - 1, me == 1)) error stop 'written'
  print '(a,i0)', 'ok ', me
end program
