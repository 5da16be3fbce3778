! co_broadcast copies the descriptors of components of components to other images, behind their values.
!# wrong the components of other images are addresses of another image
program broadcast_components
  implicit none
  type inner
    real, allocatable :: values(:)
  end type
  type outer
    integer :: number = 0
    type(inner), allocatable :: parts(:)
    integer, allocatable :: grid(:, :)
    real, allocatable :: scalar
  end type
  type(outer) :: all
  integer :: me, images, i
  me = this_image()
  images = num_images()
  all%number = me
  allocate (all%parts(2), all%grid(2, 3), all%scalar)
  do i = 1, 2
    allocate (all%parts(i)%values(i))
    all%parts(i)%values = me*i
  end do
  all%grid = me
  all%scalar = me
  call co_broadcast(all, images)
  if (all%number /= images) error stop 'number'
  if (any(all%grid /= images)) error stop 'grid'
  if (all%scalar /= images) error stop 'scalar'
  do i = 1, 2
    if (any(all%parts(i)%values /= images*i)) error stop 'part'
  end do
  print '(a,i0)', 'ok ', me
end program
