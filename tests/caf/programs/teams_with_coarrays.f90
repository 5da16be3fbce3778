! Coarrays of the parent in a team: image numbers are those of the team
!# images 4 6
!>* ok {i}
program teams_with_coarrays
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: a(3)[*], me, n, i, p
  me = this_image()
  n = num_images()
  form team (1 + mod(me, 2), half)
  a = [me, 2*me, 3*me]
  sync all
  change team (half)
    p = mod(this_image(), num_images()) + 1
    do i = 1, num_images()
      if (a(1)[i] /= 2*i - mod(me, 2)) error stop 'numbers'
    end do
    sync all
    a(3)[p] = -me
    sync all
    if (a(3) /= -merge(merge(n - 1, n, mod(me, 2) == 1), me - 2, this_image() == 1)) error stop 'written in the team'
  end team
  sync all
  if (a(1)[mod(me, n) + 1] /= mod(me, n) + 1) error stop 'behind the team'
  print '(a,i0)', 'ok ', me
end program
