! get_team
!# refused Intrinsic function|Cannot convert
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  t = get_team()
end program
