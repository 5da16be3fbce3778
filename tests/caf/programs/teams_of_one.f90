! Teams of one image, and a team of all
!# images 1 3
!>* ok {i}
program teams_of_one
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: alone, all
  integer, allocatable :: a(:)[:]
  integer :: me, s
  me = this_image()
  form team (me, alone)
  form team (7, all)
  change team (alone)
    if (this_image() /= 1 .or. num_images() /= 1 .or. team_number() /= me) error stop 'alone'
    allocate (a(me)[*])
    a = me
    sync all
    s = a(me)[1]
    call co_sum(s)
    if (s /= me) error stop 'sum of one'
    deallocate (a)
  end team
  change team (all)
    if (this_image() /= me .or. team_number() /= 7) error stop 'all'
    s = 1
    call co_sum(s)
    if (s /= num_images()) error stop 'sum of all'
  end team
  print '(a,i0)', 'ok ', me
end program
