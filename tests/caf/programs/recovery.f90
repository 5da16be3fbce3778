! The others go on where an image has failed: they share its work, which they had a copy of
!# images 3 5
!> all work is done
program recovery
  use iso_fortran_env, only: stat_failed_image
  implicit none
  integer, parameter :: items = 30
  integer, save :: done(items)[*], copy(items)[*]
  integer, allocatable :: gone(:), others(:)
  integer :: me, images, status, k, i, total
  me = this_image()
  images = num_images()
  done = 0
  copy = 0
  sync all
  ! Each writes a copy of what it has done to its right neighbour.
  do k = me, items, images
    done(k) = k*k
    copy(k)[1 + mod(me, images)] = k*k
    if (me == 2 .and. k > items/2) fail image
  end do
  sync all (stat=status)
  if (status /= stat_failed_image) error stop 'status'
  gone = failed_images()
  if (size(gone) /= 1 .or. any(gone /= 2)) error stop 'failed_images'
  others = pack([(i, i=1, images)], [(image_status(i) == 0, i=1, images)])
  if (size(others) /= images - 1) error stop 'image_status'
  if (me == 3) then
    do k = 2, items, images
      done(k) = merge(copy(k), k*k, copy(k) /= 0)
    end do
  end if
  sync images (pack(others, others /= me), stat=status)
  if (status /= 0) error stop 'sync images of those who are there'
  if (me == 1) then
    total = 0
    do i = 1, size(others)
      do k = 1, items
        total = total + done(k)[others(i)]
      end do
    end do
    if (total /= sum([(k*k, k=1, items)])) error stop 'sum'
    print '(a)', 'all work is done'
  end if
  sync images (pack(others, others /= me))
end program
