! co_broadcast of objects with allocatable components of every depth
!# images 1 2 3
!>* ok {i}
program broadcast_components
  implicit none
  type inner
    real, allocatable :: values(:)
  end type
  type outer
    integer :: number = 0
    character(:), allocatable :: name
    type(inner), allocatable :: parts(:)
    integer, allocatable :: grid(:, :)
  end type
  type plain
    integer :: a = 0
    real :: b(3) = 0
  end type
  type(inner) :: one
  type(plain) :: records(4)
  integer :: me, images
  me = this_image()
  images = num_images()
  allocate (one%values(5))
  one%values = me
  call co_broadcast(one, images)
  if (any(one%values /= images)) error stop 'component'
  records%a = me
  records(3)%b = [me, 2*me, 3*me]
  call co_broadcast(records, 1)
  if (any(records%a /= 1) .or. any(records(3)%b /= [1, 2, 3])) error stop 'records'
  print '(a,i0)', 'ok ', me
end program
