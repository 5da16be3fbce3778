! Allocatable components, of different sizes at each image
!# images 2 3
!>* ok {i}
program components_allocatable
  implicit none
  type t
    integer :: n
    real, allocatable :: a(:)
    integer, allocatable :: s
    integer, allocatable :: m(:, :)
  end type
  type(t) :: x[*]
  type(t), allocatable :: y[:], z(:)[:]
  real, allocatable :: got(:)
  real :: fixed(3)
  integer :: o, i, me, k
  me = this_image(); o = mod(me, num_images()) + 1
  allocate (x%a(me:me + 5), x%s, x%m(2, me + 1))
  x%a = [(me*100 + i, i = 1, 6)]; x%s = me; x%m = me
  allocate (y[*])
  sync all
  if (allocated(y%a)) error stop 'allocated'
  allocate (y%a(me*3))
  y%a = me
  allocate (z(3)[*])
  allocate (z(2)%a(4))
  z(2)%a = [1, 2, 3, 4]*me
  sync all
  fixed = x[o]%a(o:o + 2); if (any(fixed /= o*100 + [1, 2, 3])) error stop 'range'
  if (x[o]%a(o + 5) /= o*100 + 6) error stop 'element'
  if (x[o]%s /= o) error stop 'scalar'
  if (x[o]%m(2, o + 1) /= o) error stop 'matrix'
  fixed = x[o]%a(o + 1::2)
  got = y[o]%a
  if (size(got) /= 3*o .or. any(got /= o)) error stop 'whole'
  k = 2
  fixed = z(k)[o]%a(4:2:-1); if (any(fixed /= [4, 3, 2]*o)) error stop 'of an array'
  sync all
  x[o]%a(o:o + 1) = [-1, -2]
  x[o]%s = me*7
  z(2)[o]%a(:) = 9
  x[o]%m(1, :) = 5
  sync all
  if (any(x%a(me:me + 2) /= [-1, -2, me*100 + 3]) .or. x%s == me) error stop 'put'
  if (any(z(2)%a /= 9) .or. any(x%m(1, :) /= 5) .or. any(x%m(2, :) /= me)) error stop 'put section'
  sync all
  deallocate (y%a)
  deallocate (y)
  print '(a,i0)', 'ok ', me
end program
