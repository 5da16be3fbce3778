! An event at an image that there is not
!# images 2
!# status fails
!# error event post: image 5 is none of the 2 images
program mistake
  use iso_fortran_env
  implicit none
  type(event_type) :: e[*]
  integer :: i = 5
  sync all
  if (this_image() == 1) then
    event post (e[i])
  end if
  sync all
end program
