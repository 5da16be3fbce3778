! Conjugate gradients with vectors at the images, and sums by co_sum
!# images 1 2 4
!> ok
program gradient
  implicit none
  integer, parameter :: m = 12
  real(8) :: x(m), r(m), p(0:m + 1)[*], q(m), rho, before, alpha
  integer :: me, n, step
  me = this_image()
  n = num_images()
  x = 0
  r = 1
  p = 0
  p(1:m) = r
  rho = dot(r, r)
  do step = 1, 200
    sync all
    if (me > 1) p(0) = p(m)[me - 1]
    if (me < n) p(m + 1) = p(1)[me + 1]
    sync all
    q = 2*p(1:m) - p(0:m - 1) - p(2:m + 1)
    alpha = rho/dot(p(1:m), q)
    x = x + alpha*p(1:m)
    r = r - alpha*q
    before = rho
    rho = dot(r, r)
    if (rho < 1d-20) exit
    p(1:m) = r + rho/before*p(1:m)
  end do
  ! The solution of -u'' = 1 with zeros at both ends.
  do step = 1, m
    associate (i => (me - 1)*m + step)
      if (abs(x(step) - i*(n*m + 1 - i)/2d0) > 1d-6) error stop 'solution'
    end associate
  end do
  sync all
  if (me == 1) print '(a)', 'ok'
contains
  real(8) function dot(a, b)
    real(8), intent(in) :: a(:), b(:)
    dot = dot_product(a, b)
    call co_sum(dot)
  end function
end program
