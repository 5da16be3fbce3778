! failed_images with a team
!# refused not yet supported
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  form team (1, t)
  print *, failed_images(t)
end program
