! Teams by rows and by columns of a grid, one after the other, with collectives in each
!# images 4 6
!>* ok {i}
program rows_and_columns
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: row, column
  integer :: me, n, x, y, s, round
  me = this_image()
  n = num_images()
  x = mod(me - 1, 2)
  y = (me - 1)/2
  form team (y + 1, row)
  form team (x + 1, column)
  do round = 1, 10
    change team (row)
      if (num_images() /= 2 .or. this_image() /= x + 1 .or. team_number() /= y + 1) error stop 'row'
      s = me*round
      call co_sum(s)
      if (s /= (4*y + 3)*round) error stop 'sum of a row'
    end team
    change team (column)
      if (num_images() /= n/2 .or. this_image() /= y + 1 .or. team_number() /= x + 1) error stop 'column'
      s = me
      call co_max(s)
      if (s /= n - 1 + x) error stop 'most of a column'
      s = me
      call co_broadcast(s, num_images())
      if (s /= n - 1 + x) error stop 'broadcast of a column'
    end team
  end do
  if (team_number() /= -1 .or. this_image() /= me) error stop 'behind'
  print '(a,i0)', 'ok ', me
end program
