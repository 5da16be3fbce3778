! A matrix product in teams: a row's image broadcasts its block along the row, and a column's along the column
!# images 1 4 9
!>* image {i} has its block
program summa
  use iso_fortran_env, only: team_type
  implicit none
  integer, parameter :: n = 5
  type(team_type) :: row, column
  real(8) :: a(n, n), b(n, n), c(n, n), from_row(n, n), from_column(n, n), expected
  integer :: me, side, my_row, my_column, k, i, j, l
  me = this_image()
  side = nint(sqrt(real(num_images())))
  my_row = 1 + mod(me - 1, side)
  my_column = 1 + (me - 1)/side
  form team (my_row, row)
  form team (my_column, column)
  do j = 1, n
    do i = 1, n
      a(i, j) = left((my_row - 1)*n + i, (my_column - 1)*n + j)
      b(i, j) = right((my_row - 1)*n + i, (my_column - 1)*n + j)
    end do
  end do
  c = 0
  do k = 1, side
    from_row = a
    from_column = b
    change team (row)
      call co_broadcast(from_row, k)
    end team
    change team (column)
      call co_broadcast(from_column, k)
    end team
    c = c + matmul(from_row, from_column)
  end do
  do j = 1, n
    do i = 1, n
      expected = 0
      do l = 1, side*n
        expected = expected + left((my_row - 1)*n + i, l)*right(l, (my_column - 1)*n + j)
      end do
      if (c(i, j) /= expected) error stop 'product'
    end do
  end do
  print '(a,i0,a)', 'image ', me, ' has its block'
contains
  pure real(8) function left(i, j)
    integer, intent(in) :: i, j
    left = i + 2*j
  end function
  pure real(8) function right(i, j)
    integer, intent(in) :: i, j
    right = 3*i - j
  end function
end program
