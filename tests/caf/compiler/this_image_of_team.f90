! this_image(team)
!# refused this_image
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  form team (1, t)
  print *, this_image(t)
end program
