! A star-shaped stencil of radius 2 on a grid of images, with halos in four directions
!# images 1 2 4 6
!> the norm is right
program stencil
  implicit none
  integer, parameter :: n = 8, radius = 2, rounds = 5
  real(8), allocatable :: in(:, :)[:, :]
  real(8) :: out(n, n), weight(-radius:radius, -radius:radius), norm, expected
  integer :: me, images, across, at(2), shape_of_images(2), i, j, d, round
  me = this_image()
  images = num_images()
  across = merge(2, 1, mod(images, 2) == 0)
  allocate (in(1 - radius:n + radius, 1 - radius:n + radius)[across, *])
  at = this_image(in)
  shape_of_images = [across, images/across]
  weight = 0
  do d = 1, radius
    weight(d, 0) = 1d0/(2*d*radius); weight(-d, 0) = -weight(d, 0)
    weight(0, d) = weight(d, 0); weight(0, -d) = -weight(d, 0)
  end do
  in = 0
  do j = 1, n
    do i = 1, n
      in(i, j) = (at(1) - 1)*n + i + (at(2) - 1)*n + j
    end do
  end do
  out = 0
  sync all
  do round = 1, rounds
    if (at(1) > 1) in(n + 1:n + radius, 1:n)[at(1) - 1, at(2)] = in(1:radius, 1:n)
    if (at(1) < shape_of_images(1)) in(1 - radius:0, 1:n)[at(1) + 1, at(2)] = in(n - radius + 1:n, 1:n)
    if (at(2) > 1) in(1:n, n + 1:n + radius)[at(1), at(2) - 1] = in(1:n, 1:radius)
    if (at(2) < shape_of_images(2)) in(1:n, 1 - radius:0)[at(1), at(2) + 1] = in(1:n, n - radius + 1:n)
    sync all
    do j = merge(1 + radius, 1, at(2) == 1), merge(n - radius, n, at(2) == shape_of_images(2))
      do i = merge(1 + radius, 1, at(1) == 1), merge(n - radius, n, at(1) == shape_of_images(1))
        out(i, j) = out(i, j) + sum(weight*in(i - radius:i + radius, j - radius:j + radius))
      end do
    end do
    sync all
    in(1:n, 1:n) = in(1:n, 1:n) + 1
    sync all
  end do
  norm = sum(abs(out))
  call co_sum(norm, 1)
  expected = 2d0*rounds*(shape_of_images(1)*n - 2*radius)*(shape_of_images(2)*n - 2*radius)
  if (me == 1) then
    if (abs(norm - expected) > 1d-8) then
      print *, norm, expected
      error stop 'norm'
    end if
    print '(a)', 'the norm is right'
  end if
end program
