! An image number that the job has, and the team has not
!# images 4
!# status fails
!# error image 3 is none of the 2 images of the current team
program image_of_team
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: a[*]
  a = 1
  form team (1 + mod(this_image(), 2), half)
  change team (half)
    a[3] = 2
  end team
end program
