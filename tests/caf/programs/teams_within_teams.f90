! References, collectives and allocation in teams of teams.
!# images 1 2 4
!>* ok {i}
program teams_within_teams
  use iso_fortran_env
  implicit none
  type(team_type) :: half, quarter, world
  integer :: me, n, x(3)[*], s, p, tn
  integer, allocatable :: y(:)[:]
  me = this_image(); n = num_images()
  x = me
  allocate (y(2)[*]); y = -me
  sync all
  tn = 1 + (me - 1)/2
  form team (tn, half)
  change team (half)
    if (team_number() /= tn) error stop 'number'
    s = x(2)[num_images()]
    if (s /= min(2*tn, n)) error stop 'x'
    form team (this_image(), quarter)
    change team (quarter)
      if (num_images() /= 1 .or. this_image() /= 1) error stop 'one'
      if (y(1)[1] /= -me) error stop 'y'
      call co_sum(s)
      if (s /= min(2*tn, n)) error stop 'sum'
    end team
    s = 1
    call co_sum(s)
    if (s /= num_images()) error stop 'half'
    block
      integer, allocatable :: z(:)[:]
      allocate (z(this_image() - this_image() + 3)[*])
      z = me
      sync all
      if (z(3)[1] /= 2*tn - 1) error stop 'z'
    end block
    sync team (half)
  end team
  s = 1
  call co_sum(s, 1)
  if (me == 1 .and. s /= n) error stop 'all'
  print '(a,i0)', 'ok ', me
end program
