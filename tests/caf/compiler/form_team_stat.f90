! form team with stat=
!# refused Syntax error in FORM TEAM
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  integer :: s
  form team (1, t, stat=s)
end program
