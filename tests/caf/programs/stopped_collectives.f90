! Collectives with an image that has stopped
!# images 2 3
!>* ok {i}
program collectives_of_the_rest
  use iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: a[*], s, status
  character(:), allocatable :: message
  allocate (character(60) :: message)
  a = 1; s = 1
  sync all
  print '(a,i0)', 'ok ', this_image()
  if (this_image() == 2) stop
  call co_sum(s, stat=status, errmsg=message)
  if (status /= stat_stopped_image) error stop 'co_sum'
  if (message /= 'image 2 has stopped') error stop 'errmsg'
  call co_max(s, stat=status)
  if (status /= stat_stopped_image) error stop 'co_max'
  sync all (stat=status)
  if (status /= stat_stopped_image) error stop 'sync all'
end program
