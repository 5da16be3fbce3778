! An image selector with a team's number
!# refused Invalid form of coarray reference
program refused
  use iso_fortran_env
  implicit none
  integer :: a[*]
  a = a[1, team_number=1]
end program
