! An image stops while the others go on
!# images 2 4
!>* ok {i}
program one_stops
  use iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: a[*], status, k, n
  character(60) :: message
  n = num_images()
  a = this_image()
  sync all
  print '(a,i0)', 'ok ', this_image()
  if (this_image() == n) stop
  sync all (stat=status, errmsg=message)
  if (status /= stat_stopped_image) error stop 'sync all'
  if (index(message, 'has stopped') == 0) error stop 'errmsg'
  if (image_status(n) /= stat_stopped_image) error stop 'image_status'
  if (image_status(this_image()) /= 0) error stop 'own image_status'
  associate (gone => stopped_images())
    if (size(gone) /= 1) error stop 'number of stopped images'
    if (gone(1) /= n) error stop 'stopped_images'
  end associate
  if (size(failed_images()) /= 0) error stop 'failed_images'
  if (a[n] /= n) error stop 'its memory'
  sync images (n, stat=status)
  if (status /= stat_stopped_image) error stop 'sync images'
  sync all (stat=status)
  if (status /= stat_stopped_image) error stop 'sync all again'
end program
