! move_alloc does not tell the library to which variable it gives a coarray, and allocated() looks at the variable alone.
!# wrong allocated() behind end team
program moved_behind_team
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: all
  integer, allocatable :: first(:)[:], second(:)[:]
  form team (1, all)
  change team (all)
    allocate (first(10)[*])
    call move_alloc(first, second)
  end team
  if (allocated(second)) error stop 'allocated behind the team'
end program
