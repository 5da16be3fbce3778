! form team, change team, sync team, end team: numbers and coindexed references in a team
!# images 1 2 4 5
!>* ok {i}
program teams
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: a[*], me, n, color, i, t, mine
  me = this_image(); n = num_images()
  a = me
  color = mod(me - 1, 2) + 1
  if (team_number() /= -1) error stop 'initial team'
  form team (color, half)
  if (team_number(half) /= color) error stop 'number of the team'
  do i = 1, 3
    change team (half)
      if (team_number() /= color) error stop 'current team'
      if (num_images() /= (n + 2 - color)/2) error stop 'size'
      mine = this_image()
      if (mine /= (me - 1)/2 + 1) error stop 'image in the team'
      sync all
      if (a[num_images()] /= color + 2*(num_images() - 1)) error stop 'reference'
      t = me
      call co_sum(t)
      if (t /= num_images()*(color + num_images() - 1)) error stop 'co_sum'
      sync team (half)
    end team
    if (num_images() /= n .or. this_image() /= me) error stop 'behind the team'
    sync all
  end do
  print '(a,i0)', 'ok ', me
end program
