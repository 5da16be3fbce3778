! A type with a coarray component
!# images 2 4
!>* ok {i}
program components_of_coarray_type
  implicit none
  type field
    integer :: n = 0
    real(8), allocatable :: values(:)[:]
  end type
  type(field) :: f
  integer :: me, o
  me = this_image()
  o = mod(me, num_images()) + 1
  call open(f, 5)
  f%values = me
  sync all
  if (f%values(5)[o] /= o .or. sum(f%values(:)[o]) /= 5*o) error stop 'read'
  sync all
  f%values(2:3)[o] = -me
  sync all
  if (any(f%values(2:3) /= -merge(num_images(), me - 1, me == 1)) .or. f%values(4) /= me) error stop 'written'
  deallocate (f%values)
  call open(f, 2)
  f%values = 0
  sync all
  if (sum(f%values(:)[o]) /= 0) error stop 'again'
  print '(a,i0)', 'ok ', me
contains
  subroutine open(x, n)
    type(field), intent(inout) :: x
    integer, intent(in) :: n
    x%n = n
    allocate (x%values(n)[*])
  end subroutine
end program
