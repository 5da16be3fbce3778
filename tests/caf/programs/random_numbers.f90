! random_number after random_init: the same at all images, or not
!# images 2 4
!# modes processes nodes2
!>* ok {i}
program random_numbers
  implicit none
  real(8) :: r(4)[*], again(4)
  integer :: me, i
  me = this_image()
  call random_init(repeatable=.true., image_distinct=.false.)
  call random_number(r)
  if (any(r < 0 .or. r >= 1)) error stop 'range'
  sync all
  do i = 1, num_images()
    if (any(r(:)[i] /= r)) error stop 'alike'
  end do
  sync all
  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(r)
  sync all
  do i = 1, num_images()
    if (i /= me .and. all(r(:)[i] == r)) error stop 'distinct'
  end do
  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(again)
  if (any(again /= r)) error stop 'repeatable'
  print '(a,i0)', 'ok ', me
end program
