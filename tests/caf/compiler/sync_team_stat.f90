! sync team with stat=
!# refused Syntax error in SYNC TEAM
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  integer :: s
  sync team (t, stat=s)
end program
