! Teams of teams
!# images 4 8
!>* ok {i}
program teams_nested
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half, quarter
  integer :: a[*], me, n
  me = this_image(); n = num_images()
  a = me
  form team ((me - 1)/(n/2) + 1, half)
  change team (half)
    form team (mod(this_image() - 1, 2) + 1, quarter)
    change team (quarter)
      if (num_images() /= n/4) error stop 'size'
      sync all
      a = a + 100
      sync all
      if (a[num_images()] <= 100) error stop 'reference'
      sync team (half)
    end team
    if (num_images() /= n/2) error stop 'size behind'
    if (a[1] <= 100) error stop 'reference behind'
    sync all
  end team
  sync all
  if (a[1] /= 101) error stop 'at the end'
  print '(a,i0)', 'ok ', me
end program
