! Sections with strides, vector subscripts and other kinds on the other side, read and written.
!# images 1 2 4
!>* ok {i}
program sections_converted
  use iso_fortran_env
  implicit none
  integer(int16), allocatable :: a(:,:,:)[:]
  real(real64) :: r(3,2,2), q(5,3)
  complex(real32), allocatable :: z(:)[:]
  integer :: me, n, nxt, i, j, k, v(3)
  me = this_image(); n = num_images(); nxt = mod(me, n) + 1
  allocate (a(-2:6, 0:4, 3)[0:*], z(10)[*])
  do k = 1, 3; do j = 0, 4; do i = -2, 6
    a(i,j,k) = int(1000*me + 100*k + 10*j + i, int16)
  end do; end do; end do
  z = [(cmplx(i, me), i = 1, 10)]
  sync all
  r = a(6:-2:-4, 0:4:3, 1:3:2)[nxt-1]
  do k = 1, 2; do j = 1, 2; do i = 1, 3
    if (nint(r(i,j,k)) /= 1000*nxt + 100*(2*k-1) + 10*3*(j-1) + (6-4*(i-1))) error stop 'get'
  end do; end do; end do
  v = [5, -1, 2]
  q(1:3,1) = a(v, 4, 2)[nxt-1]
  if (any(nint(q(1:3,1)) /= 1000*nxt + 240 + v)) error stop 'vector'
  sync all
  a(v, 1:3, 2)[nxt-1] = reshape([(real(i)*1.0_real32 + 0.9, i = 1, 9)], [3,3])
  sync all
  do j = 1, 3; do i = 1, 3
    if (a(v(i), j, 2) /= 3*(j-1) + i) error stop 'put'
  end do; end do
  z(1:9:2)[nxt] = a(-2:6:2, 0, 1)
  sync all
  if (any(nint(real(z(1:9:2))) /= 1000*(mod(me+n-2,n)+1) + 100 + [-2,0,2,4,6])) error stop 'z'
  sync all
  a(:, 4, 3)[nxt-1] = 7
  a(:, 0, :)[nxt-1] = a(:, 1, :)[me-1]
  sync all
  if (any(a(:,4,3) /= 7)) error stop 'scalar'
  print '(a,i0)', 'ok ', me
end program
