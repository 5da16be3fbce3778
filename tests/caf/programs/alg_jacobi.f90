! Heat in two dimensions on a grid of images; halos of rows and columns (strided)
!# images 1 4
!> ok
program jacobi
  implicit none
  integer, parameter :: m = 8
  real(8) :: u(0:m + 1, 0:m + 1)[2, *], v(m, m), residual, total
  integer :: x, y, px, py, step, here(2)
  px = min(2, num_images())
  py = num_images()/px
  here = this_image(u)
  x = here(1)
  y = here(2)
  u = 0
  if (x == 1) u(0, :) = 1
  sync all
  do step = 1, 2000
    if (x > 1) u(m + 1, 1:m)[x - 1, y] = u(1, 1:m)
    if (x < px) u(0, 1:m)[x + 1, y] = u(m, 1:m)
    if (y > 1) u(1:m, m + 1)[x, y - 1] = u(1:m, 1)
    if (y < py) u(1:m, 0)[x, y + 1] = u(1:m, m)
    sync all
    v = (u(0:m - 1, 1:m) + u(2:m + 1, 1:m) + u(1:m, 0:m - 1) + u(1:m, 2:m + 1))/4
    residual = maxval(abs(v - u(1:m, 1:m)))
    u(1:m, 1:m) = v
    call co_max(residual)
    if (residual < 1d-7) exit
  end do
  total = sum(u(1:m, 1:m))
  call co_sum(total)
  if (residual >= 1d-7) error stop 'does not converge'
  ! Half of the field's boundary is 1 on one side of four: the mean of the corners' neighbours is known by symmetry.
  if (total < 0.2d0*m*m*num_images() .or. total > 0.3d0*m*m*num_images()) error stop 'total'
  if (this_image() == 1) print '(a)', 'ok'
end program
