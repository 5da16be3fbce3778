! Many teams: formed anew again and again, in different numbers
!# images 3 4
!>* ok {i}
program teams_many
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: t
  integer :: round, me, s, expected, i
  me = this_image()
  do round = 1, 25
    form team (1 + mod(me*round, 3), t)
    expected = 0
    do i = 1, num_images()
      if (mod(i*round, 3) == mod(me*round, 3)) expected = expected + i
    end do
    change team (t)
      s = me
      call co_sum(s)
      if (s /= expected) error stop 'sum'
    end team
  end do
  print '(a,i0)', 'ok ', me
end program
