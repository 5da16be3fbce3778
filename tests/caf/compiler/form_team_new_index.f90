! form team with new_index=
!# refused Syntax error in FORM TEAM
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  form team (1, t, new_index=1)
end program
