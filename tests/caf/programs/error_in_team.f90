! An image that the current team has not
!# images 4
!# status fails
!# error get: image 3 is none of the 2 images of the current team
program mistake
  use iso_fortran_env
  implicit none
  type(team_type) :: half
  integer :: a[*], i = 3
  a = 1
  form team ((this_image() - 1)/2 + 1, half)
  change team (half)
    if (this_image() == 1) a = a[i]
    sync all
  end team
end program
