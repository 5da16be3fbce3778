! An error of one statement does not end the job where the statement has stat=
!# images 2
!>* ok {i}
program stat_is_given
  use iso_fortran_env, only: lock_type, event_type, stat_locked
  implicit none
  type(lock_type) :: l[*]
  type(event_type) :: e[*]
  integer :: status
  character(80) :: message
  integer :: i
  i = 9
  message = ''
  event post (e[i], stat=status, errmsg=message)
  if (status == 0 .or. index(message, 'image 9') == 0) error stop 'event'
  lock (l[i], stat=status, errmsg=message)
  if (status == 0 .or. index(message, 'image 9') == 0) error stop 'lock'
  lock (l[this_image()])
  lock (l[this_image()], stat=status)
  if (status /= stat_locked) error stop 'locked'
  unlock (l[this_image()])
  sync images (i, stat=status, errmsg=message)
  if (status == 0 .or. index(message, 'image 9') == 0) error stop 'sync images'
  print '(a,i0)', 'ok ', this_image()
end program
