! random_init: repeatable or not, the same at all images or not
!# images 2
!# modes processes nodes2
!>* ok {i}
program seeds
  implicit none
  real :: a(4)[*], b(4)
  integer :: o
  o = mod(this_image(), num_images()) + 1
  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(a)
  sync all
  b = a(:)[o]; if (all(a == b)) error stop 'distinct'
  b = a
  call random_init(.true., .true.)
  call random_number(a)
  if (any(a /= b)) error stop 'repeatable'
  sync all
  call random_init(.true., .false.)
  call random_number(a)
  sync all
  b = a(:)[o]; if (any(a /= b)) error stop 'the same at all'
  sync all
  call random_init(.false., .false.)
  call random_number(a)
  sync all
  b = a(:)[o]; if (any(a /= b)) error stop 'the same at all, not repeatable'
  sync all
  call random_init(.false., .true.)
  call random_number(a)
  sync all
  b = a(:)[o]; if (all(a == b)) error stop 'distinct, not repeatable'
  print '(a,i0)', 'ok ', this_image()
end program
