! A read from an image of another team
!# wrong the compiler does not say which team is meant
program wrong
  use iso_fortran_env
  implicit none
  type(team_type) :: all, each
  integer :: a[*], got
  a = this_image()
  form team (1, all)
  form team (this_image(), each)
  sync all
  change team (each)
    got = a[2, team=all]
  end team
  if (got /= 2) error stop 'other image'
end program
