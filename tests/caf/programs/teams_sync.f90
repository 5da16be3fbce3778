! sync images, locks, events and critical in a team count in the team
!# images 4
!>* ok {i}
program teams_sync
  use iso_fortran_env, only: team_type, lock_type, event_type
  implicit none
  type(team_type) :: half
  type(lock_type) :: l[*]
  type(event_type) :: e[*]
  integer :: count[*], i, me
  me = this_image()
  count = 0
  form team (merge(1, 2, me <= 2), half)
  change team (half)
    do i = 1, 20
      lock (l[1])
      count[1] = count[1] + 1
      unlock (l[1])
    end do
    sync images (*)
    if (this_image() == 1 .and. count /= 40) error stop 'lock'
    event post (e[3 - this_image()])
    event wait (e)
    if (this_image() == 1) then
      sync images (2)
    else
      sync images ([1])
    end if
    critical
      count[1] = count[1] + 1
    end critical
  end team
  sync all
  if ((me == 1 .or. me == 3) .and. count /= 42) error stop 'critical'
  if ((me == 2 .or. me == 4) .and. count /= 0) error stop 'others'
  print '(a,i0)', 'ok ', me
end program
