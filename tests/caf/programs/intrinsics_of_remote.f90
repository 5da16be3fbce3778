! Another image's elements as arguments of intrinsic functions
!# images 2 3
!>* ok {i}
program intrinsics_of_remote
  implicit none
  integer :: a(4)[*], b(2, 3)[*], me, o
  real :: v(3)[*]
  character(6) :: c[*]
  me = this_image()
  o = mod(me, num_images()) + 1
  a = [4, 1, 3, 2]*me
  b = reshape([1, 2, 3, 4, 5, 6]*me, [2, 3])
  v = [1., 2., 3.]*me
  c = 'ab'//achar(48 + me)
  sync all
  if (sum(a(:)[o]) /= 10*o .or. product(a(2:4)[o]) /= 6*o**3) error stop 'sum and product'
  if (maxval(a(:)[o]) /= 4*o .or. minval(a(3:)[o]) /= 2*o) error stop 'extremes'
  if (maxloc(a(:)[o], 1) /= 1 .or. minloc(a(:)[o], 1) /= 2) error stop 'places'
  if (abs(dot_product(v(:)[o], v(:)[me]) - 14*o*me) > 1e-3) error stop 'dot_product'
  if (any(matmul(b(:, :)[o], [1, 1, 1]) /= [9, 12]*o)) error stop 'matmul'
  if (any(transpose(b(:, :)[o]) /= reshape([1, 3, 5, 2, 4, 6]*o, [3, 2]))) error stop 'transpose'
  if (any(cshift(a(:)[o], 1) /= [1, 3, 2, 4]*o) .or. any(pack(a(:)[o], a > 2*me) /= [4, 3]*o)) error stop 'cshift and pack'
  if (len_trim(c[o]) /= 3 .or. index(c[o], 'b') /= 2 .or. trim(c[o])//'!' /= 'ab'//achar(48 + o)//'!') error stop 'strings'
  if (merge(a(1)[o], 0, .true.) /= 4*o .or. max(a(1)[o], a(2)[o], 1000) /= 1000) error stop 'merge and max'
  if (any(spread(a(1:2)[o], 1, 2) /= reshape([4, 4, 1, 1]*o, [2, 2]))) error stop 'spread'
  print '(a,i0)', 'ok ', me
end program
