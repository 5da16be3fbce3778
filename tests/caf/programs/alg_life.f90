! Conway's game of life by strips of rows
!# images 1 2 4
!> 5
program life
  implicit none
  integer, parameter :: size = 16
  integer :: cells(size, 0:17)[*], new(size, 16), rows, me, n, step, i, j, alive
  me = this_image()
  n = num_images()
  rows = size/n
  cells = 0
  ! A glider, in rows 1 to 3.
  if (me == 1) then
    cells(2, 1) = 1; cells(3, 2) = 1; cells(1:3, 3) = 1
  end if
  do step = 1, 32
    sync all
    cells(:, 0) = cells(:, rows)[merge(n, me - 1, me == 1)]
    cells(:, rows + 1) = cells(:, 1)[mod(me, n) + 1]
    do j = 1, rows
      do i = 1, size
        alive = sum(cells(around(i), j - 1:j + 1)) - cells(i, j)
        new(i, j) = merge(1, 0, alive == 3 .or. (alive == 2 .and. cells(i, j) == 1))
      end do
    end do
    sync all
    cells(:, 1:rows) = new(:, :rows)
  end do
  alive = sum(cells(:, 1:rows))
  call co_sum(alive)
  if (me == 1) print '(i0)', alive
contains
  pure function around(i)
    integer, intent(in) :: i
    integer :: around(3)
    around = [mod(i + size - 2, size) + 1, i, mod(i, size) + 1]
  end function
end program
