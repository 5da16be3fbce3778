! Coarrays as dummy arguments: explicit and assumed shape, allocatable
!# images 2 3
!>* ok {i}
program dummies
  implicit none
  integer :: a(4, 3)[*], o, i
  integer, allocatable :: b(:)[:]
  o = mod(this_image(), num_images()) + 1
  a = reshape([(this_image()*100 + i, i = 1, 12)], [4, 3])
  sync all
  call explicit_shape(a, 4)
  call assumed_shape(a(2:3, :))
  call element(a(2, 2))
  call allocating(b, 6)
  if (any(b(:)[o] /= o)) error stop 'allocated'
  print '(a,i0)', 'ok ', this_image()
contains
  subroutine explicit_shape(x, n)
    integer, intent(in) :: n
    integer :: x(n, *)[*]
    if (x(2, 3)[o] /= o*100 + 10) error stop 'explicit shape'
  end subroutine
  subroutine assumed_shape(x)
    integer :: x(:, :)[*]
    integer :: y(2)
    y = x(:, 2)[o]
    if (any(y /= o*100 + [6, 7])) error stop 'assumed shape'
    if (x(2, 3)[o] /= o*100 + 11) error stop 'assumed shape, scalar'
  end subroutine
  subroutine element(x)
    integer :: x[*]
    if (x[o] /= o*100 + 6) error stop 'element'
  end subroutine
  subroutine allocating(x, n)
    integer, allocatable :: x(:)[:]
    integer, intent(in) :: n
    allocate (x(n)[*], source=this_image())
    sync all
  end subroutine
end program
