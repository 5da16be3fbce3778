! Coarrays that are allocated in a team, of different sizes in each
!# images 2 4
!>* ok {i}
program teams_allocation
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: pair
  integer, allocatable :: a(:)[:], left(:)[:]
  integer :: whole[*], color, other
  color = (this_image() - 1)/2 + 1
  form team (color, pair)
  change team (pair)
    allocate (a(color*100)[*])
    a = this_image()*color
    sync all
    other = mod(this_image(), num_images()) + 1
    if (size(a) /= color*100 .or. any(a(:)[other] /= other*color)) error stop 'in the team'
    deallocate (a)
    allocate (left(10)[*])
    left = 5
  end team
  if (allocated(left)) error stop 'deallocated by end team'
  allocate (a(7)[*])
  a = this_image()
  whole = 1
  sync all
  other = mod(this_image(), num_images()) + 1
  if (any(a(:)[other] /= other)) error stop 'behind the team'
  print '(a,i0)', 'ok ', this_image()
end program
