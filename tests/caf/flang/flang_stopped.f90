! An image that has stopped is told to those who synchronize with it, and waits for them. Its output is there.
!# images 2 3
!> last words
!> the others went on
program stopped
  use iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: status
  if (this_image() == 1) then
    print '(a)', 'last words'
    stop
  end if
  sync all (stat=status)
  if (status /= stat_stopped_image) error stop 'stat'
  if (this_image() == 2) print '(a)', 'the others went on'
  if (this_image() == 2) stop 'quietly'
end program
