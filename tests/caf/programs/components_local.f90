! Coarrays of a procedure with allocatable components, which its end deallocates
!# images 2
!>* ok {i}
program local_components
  implicit none
  type t
    integer, allocatable :: v(:)
  end type
  integer :: round
  do round = 1, 20
    call work(round*10)
  end do
  print '(a,i0)', 'ok ', this_image()
contains
  subroutine work(n)
    integer, intent(in) :: n
    type(t), allocatable :: x[:], y(:)[:]
    integer :: o, got(2)
    o = mod(this_image(), num_images()) + 1
    allocate (x[*], y(3)[*])
    allocate (x%v(n), y(2)%v(n + 1))
    x%v = this_image(); y(2)%v = this_image()*n
    sync all
    got = x[o]%v(n - 1:n); if (any(got /= o)) error stop 'scalar'
    got = y(2)[o]%v(1:2); if (any(got /= o*n)) error stop 'array'
    sync all
  end subroutine
end program
