! Collectives of sections of four dimensions, with gaps and backwards, and of pointers
!# images 1 2 4
!>* ok {i}
program many_dimensions
  implicit none
  integer, target :: a(4, 3, 5, 2)
  integer, pointer :: part(:, :)
  integer :: me, images, i, before(4, 3, 5, 2)
  real(8) :: b(0:3, -1:2)
  complex(8) :: z(2, 2)
  me = this_image()
  images = num_images()
  a = reshape([(i, i=1, size(a))], shape(a))*me
  before = a
  call co_broadcast(a(::2, 3:1:-2, 2:5, 2), images)
  if (any(a(::2, 3:1:-2, 2:5, 2)*me /= before(::2, 3:1:-2, 2:5, 2)*images)) error stop 'broadcast'
  if (any(a(2::2, :, :, :) /= before(2::2, :, :, :))) error stop 'others were broadcast'
  a = before
  part => a(4:1:-3, 2, :, 1)
  call co_sum(part)
  if (any(part*me /= before(4:1:-3, 2, :, 1)*(images*(images + 1)/2))) error stop 'sum of a pointer'
  if (any(a(2:3, :, :, :) /= before(2:3, :, :, :))) error stop 'others were summed'
  b = me
  b(1, :) = -me
  call co_max(b(:, 0), result_image=images)
  call co_min(b(1, :))
  if (any(nint(b(1, 1:)) /= -images)) error stop 'min'
  z = cmplx(me, 1, 8)
  call co_sum(z(:, 2))
  if (any(z(:, 2) /= cmplx(images*(images + 1)/2, images, 8)) .or. any(z(:, 1) /= cmplx(me, 1, 8))) error stop 'complex'
  print '(a,i0)', 'ok ', me
end program
