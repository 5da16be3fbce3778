! A team number of one image that is not positive
!# images 2
!# status fails
!# error form team: team number 0 is not positive
program mistake
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  integer :: a[*], i = 0
  sync all
  if (this_image() /= 1) i = 1
  form team (i, t)
  sync all
end program
