! Heat in a rod, with coarrays: each image has a piece and the neighbours' outermost points.
!     caf examples/caf_heat.f90 -o heat && cafrun -n 4 ./heat
program caf_heat
  use iso_fortran_env, only: real64
  implicit none
  integer, parameter :: points = 240, steps = 2000
  real(real64), parameter :: conduction = 0.4_real64
  real(real64), allocatable :: u(:)[:], next(:)
  integer, allocatable :: neighbours(:)
  real(real64) :: all_heat, hottest
  integer :: me, images, n, i, step

  me = this_image()
  images = num_images()
  if (mod(points, images) /= 0) error stop 'as many images as divide 240, please'
  n = points/images
  allocate (u(0:n + 1)[*])
  allocate (next(n))
  neighbours = pack([me - 1, me + 1], [me > 1, me < images])

  ! The left half of the rod is hot, and nothing leaves it at its ends.
  u = [(merge(100, 0, (me - 1)*n + i <= points/2), i = 0, n + 1)]
  sync all
  do step = 1, steps
    ! The neighbours write into my halo while I write into theirs.
    if (me > 1) u(n + 1)[me - 1] = u(1)
    if (me < images) u(0)[me + 1] = u(n)
    sync images (neighbours)
    if (me == 1) u(0) = u(1)
    if (me == images) u(n + 1) = u(n)
    next = u(1:n) + conduction*(u(0:n - 1) - 2*u(1:n) + u(2:n + 1))
    ! Nobody writes into my halo before I have read it.
    sync images (neighbours)
    u(1:n) = next
  end do

  all_heat = sum(u(1:n))
  hottest = maxval(u(1:n))
  call co_sum(all_heat, result_image=1)
  call co_max(hottest, result_image=1)
  if (me == 1) print '(a, f0.3, a, f0.3)', 'heat ', all_heat, ', hottest ', hottest
end program
