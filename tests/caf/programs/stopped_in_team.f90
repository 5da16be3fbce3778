! An image stops in a team; the team and its parent see it
!# images 4
!>* ok {i}
program stops_in_team
  use iso_fortran_env, only: team_type, stat_stopped_image
  implicit none
  type(team_type) :: half
  integer :: a[*], status
  a = 0
  print '(a,i0)', 'ok ', this_image()
  form team (mod(this_image(), 2) + 1, half)
  if (mod(this_image(), 2) == 0) then
    change team (half)
      if (this_image() == 1) stop
      sync all (stat=status)
      if (status /= stat_stopped_image) error stop 'in the team'
      if (image_status(1) /= stat_stopped_image) error stop 'image_status'
      stop
    end team
  else
    change team (half)
      sync all (stat=status)
      if (status /= 0) error stop 'in the other team'
    end team
  end if
  sync all (stat=status)
  if (status /= stat_stopped_image) error stop 'behind'
  if (image_status(2) /= stat_stopped_image) error stop 'image_status behind'
end program
