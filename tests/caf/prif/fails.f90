! An image fails, and the others are told.
!# images 2 4
!>* image {i} is here
program fails
  use iso_c_binding
  use prif
  implicit none
  integer(c_int) :: stat, me, images
  integer(c_int), allocatable :: gone(:)
  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)
  print '(a,i0,a)', 'image ', me, ' is here'
  call prif_sync_all()
  if (me == images) call prif_fail_image()
  call prif_sync_all(stat)
  call prif_failed_images(failed_images=gone)
  if (stat /= PRIF_STAT_FAILED_IMAGE .or. size(gone) /= 1) call prif_error_stop(.false._c_bool, stop_code_char='failed')
  if (gone(1) /= images) call prif_error_stop(.false._c_bool, stop_code_char='which has failed')
  call prif_image_status(images, image_status=stat)
  if (stat /= PRIF_STAT_FAILED_IMAGE) call prif_error_stop(.false._c_bool, stop_code_char='status')
  call prif_stop(.true._c_bool)
end program
