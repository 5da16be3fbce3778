! A procedure's coarray ends with the procedure, which synchronizes
!# images 2 4
!>* ok {i}
program automatic_deallocation
  implicit none
  integer :: round
  do round = 1, 20
    call use_and_leave(round)
  end do
  print '(a,i0)', 'ok ', this_image()
contains
  subroutine use_and_leave(n)
    integer, intent(in) :: n
    integer, allocatable :: a(:)[:], b[:]
    if (allocated(a)) error stop 'left from before'
    allocate (a(n)[*], b[*])
    a = n + this_image()
    b = -n
    sync all
    if (a(n)[num_images()] /= n + num_images() .or. b[1] /= -n) error stop 'value'
    if (mod(n, 3) == 0) return
    if (mod(n, 3) == 1) deallocate (b)
  end subroutine
end program
