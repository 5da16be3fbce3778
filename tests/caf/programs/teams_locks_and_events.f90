! Locks, events, critical constructs and `sync images` inside of teams
!# images 4 6
!>* ok {i}
program teams_locks_and_events
  use iso_fortran_env, only: team_type, lock_type, event_type
  implicit none
  type(team_type) :: half
  type(lock_type) :: door[*]
  type(event_type) :: come[*]
  integer :: count[*], i, me, n, next
  me = this_image()
  count = 0
  form team (1 + mod(me, 2), half)
  change team (half)
    n = num_images()
    next = mod(this_image(), n) + 1
    do i = 1, 10
      lock (door[1])
      count[1] = count[1] + 1
      unlock (door[1])
      event post (come[next])
      event wait (come)
    end do
    sync all
    if (count[1] /= 10*n) error stop 'count'
    if (this_image() == 1) then
      sync images (*)
    else
      sync images (1)
    end if
  end team
  print '(a,i0)', 'ok ', me
end program
