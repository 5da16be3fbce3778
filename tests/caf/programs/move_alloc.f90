! move_alloc of coarrays
!# images 2
!>* ok {i}
program moved
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:]
  integer :: o, i
  o = mod(this_image(), num_images()) + 1
  allocate (a(5)[*])
  a = [(this_image()*10 + i, i = 1, 5)]
  call move_alloc(a, b)
  if (allocated(a) .or. .not. allocated(b)) error stop 'moved'
  sync all
  if (any(b(2:4)[o] /= o*10 + [2, 3, 4])) error stop 'values'
  allocate (a(3)[*])
  a = 0
  sync all
  if (any(b(:)[o] /= [(o*10 + i, i = 1, 5)])) error stop 'values behind'
  deallocate (b)
  deallocate (a)
  print '(a,i0)', 'ok ', this_image()
end program
