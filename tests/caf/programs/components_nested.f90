! Allocatable components of allocatable components
!# images 2
!>* ok {i}
program components_nested
  implicit none
  type inner
    integer, allocatable :: v(:)
  end type
  type outer
    type(inner), allocatable :: list(:)
    type(inner) :: fixed
  end type
  type(outer) :: x[*]
  integer :: o, i, got(2)
  o = mod(this_image(), num_images()) + 1
  allocate (x%list(3))
  do i = 1, 3
    allocate (x%list(i)%v(i + 1))
    x%list(i)%v = this_image()*100 + i
  end do
  allocate (x%fixed%v(2))
  x%fixed%v = this_image()
  sync all
  got = x[o]%list(3)%v(3:4); if (any(got /= o*100 + 3)) error stop 'nested'
  got = x[o]%fixed%v; if (any(got /= o)) error stop 'of a fixed one'
  sync all
  x[o]%list(1)%v(2) = 77
  sync all
  if (x%list(1)%v(2) /= 77) error stop 'put'
  print '(a,i0)', 'ok ', this_image()
end program
