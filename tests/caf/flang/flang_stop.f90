! One image ends the job with its status; the other waits for it.
!# images 2
!# status 5
!# error ERROR STOP 5
program stops
  implicit none
  if (this_image() == 1) error stop 5
  sync all
end program
