! change team with a coarray association
!# refused Syntax error in CHANGE TEAM
program refused
  use iso_fortran_env
  implicit none
  type(team_type) :: t
  integer :: a[*]
  change team (t, b[*] => a)
  end team
end program
