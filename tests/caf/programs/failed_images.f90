! An image fails while the others go on
!# images 2 4
!>* ok {i}
program one_fails
  use iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: a[*], status, n
  n = num_images()
  a = this_image()
  sync all
  print '(a,i0)', 'ok ', this_image()
  if (this_image() == n) fail image
  sync all (stat=status)
  if (status /= stat_failed_image) error stop 'sync all'
  if (image_status(n) /= stat_failed_image) error stop 'image_status'
  associate (gone => failed_images(kind=8))
    if (size(gone) /= 1) error stop 'number of failed images'
    if (gone(1) /= n) error stop 'failed_images'
    if (kind(gone) /= 8) error stop 'kind'
  end associate
  if (size(stopped_images()) /= 0) error stop 'stopped_images'
  if (num_images(failed=.true.) /= 1 .or. num_images(failed=.false.) /= n - 1) error stop 'num_images'
  sync images (n, stat=status)
  if (status /= stat_failed_image) error stop 'sync images'
  sync all (stat=status)
end program
