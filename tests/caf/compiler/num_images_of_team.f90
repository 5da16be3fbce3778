! num_images(team)
!# refused num_images
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  form team (1, t)
  print *, num_images(t)
end program
