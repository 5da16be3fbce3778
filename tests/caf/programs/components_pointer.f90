! Pointer components that are allocated, read and written at other images
!# images 2
!>* ok {i}
program components_pointer
  implicit none
  type t
    integer, pointer :: p(:) => null()
    integer, pointer :: s => null()
  end type
  type(t) :: x[*]
  integer :: o, v(2)
  o = mod(this_image(), num_images()) + 1
  allocate (x%p(4), x%s)
  x%p = this_image()*10 + [1, 2, 3, 4]
  x%s = this_image()
  sync all
  v = x[o]%p(2:3); if (any(v /= o*10 + [2, 3])) error stop 'array'
  if (x[o]%s /= o) error stop 'scalar'
  sync all
  x[o]%p(4) = -1
  sync all
  if (x%p(4) /= -1) error stop 'put'
  print '(a,i0)', 'ok ', this_image()
end program
