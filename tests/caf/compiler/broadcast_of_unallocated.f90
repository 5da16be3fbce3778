! co_broadcast of a component that is not allocated at an image takes its size from what is in memory there.
!# wrong it is not allocated, and its size is none
program broadcast_components
  implicit none
  type outer
    integer :: number = 0
    integer, allocatable :: grid(:, :)
  end type
  type(outer) :: all
  integer :: me, images, i
  me = this_image()
  images = num_images()
  all%number = me
  if (me == 1) then
   allocate (all%grid(2, 3))
  all%grid = 7
  end if
  call co_broadcast(all, 1)
  if (any(shape(all%grid) /= [2,3])) error stop 'shape'
  if (any(all%grid /= 7)) error stop 'grid'
  print '(a,i0)', 'ok ', me
end program
