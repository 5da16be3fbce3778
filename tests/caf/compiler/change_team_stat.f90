! change team with stat=
!# refused Syntax error in CHANGE TEAM
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  integer :: s
  change team (t, stat=s)
  end team
end program
