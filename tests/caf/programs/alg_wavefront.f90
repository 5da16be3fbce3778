! A wavefront: each image waits for a row's left neighbour by an event, and posts one to the right
!# images 1 2 3 5
!> the corner is right
program wavefront
  use iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: rows = 17, columns_each = 6, rounds = 4
  type(event_type), save :: arrived[*], returned[*]
  real, save :: grid(rows, 0:columns_each)[*]
  integer :: me, images, i, j, round
  me = this_image()
  images = num_images()
  grid = 0
  if (me == 1) grid(1, 1:) = [(real(j), j=0, columns_each - 1)]
  if (me /= 1) grid(1, :) = [(real((me - 1)*columns_each + j), j=-1, columns_each - 1)]
  if (me == 1) grid(:, 1) = [(real(i), i=0, rows - 1)]
  sync all
  do round = 1, rounds
    if (me == 1 .and. round > 1) then
      event wait (returned)
      if (images > 1) grid(1, 1) = grid(1, 0)
    end if
    do i = 2, rows
      if (me > 1) event wait (arrived)
      do j = merge(2, 1, me == 1), columns_each
        grid(i, j) = grid(i - 1, j) + grid(i, j - 1) - grid(i - 1, j - 1)
      end do
      if (me < images) then
        grid(i, 0)[me + 1] = grid(i, columns_each)
        event post (arrived[me + 1])
      end if
    end do
    ! The corner goes back to the begin, with another sign.
    if (me == images) then
      if (images > 1) grid(1, 0)[1] = -grid(rows, columns_each)
      if (images == 1) grid(1, 1) = -grid(rows, columns_each)
      if (round < rounds) event post (returned[1])
    end if
  end do
  sync all
  if (me == images) then
    if (abs(grid(rows, columns_each) - rounds*(rows + columns_each*images - 2)) > 1e-3) then
      print *, grid(rows, columns_each), rounds*(rows + columns_each*images - 2)
      error stop 'corner'
    end if
    print '(a)', 'the corner is right'
  end if
end program
