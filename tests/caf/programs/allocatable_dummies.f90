! Procedures that allocate and deallocate a coarray of their caller
!# images 2 4
!>* ok {i}
program allocatable_dummies
  implicit none
  integer, allocatable :: a(:, :)[:]
  integer :: me, round
  me = this_image()
  do round = 1, 5
    call make(a, round)
    if (any(shape(a) /= [round, 2])) error stop 'shape'
    if (corner(a) /= 100*num_images() + round) error stop 'corner'
    call unmake(a)
    if (allocated(a)) error stop 'deallocated'
  end do
  print '(a,i0)', 'ok ', me
contains
  subroutine make(x, rows)
    integer, allocatable, intent(inout) :: x(:, :)[:]
    integer, intent(in) :: rows
    allocate (x(rows, 2)[*])
    x = 100*me + rows
    sync all
  end subroutine
  integer function corner(x)
    integer, intent(in) :: x(:, :)[*]
    corner = x(size(x, 1), 2)[num_images()]
  end function
  subroutine unmake(x)
    integer, allocatable, intent(inout) :: x(:, :)[:]
    deallocate (x)
  end subroutine
end program
