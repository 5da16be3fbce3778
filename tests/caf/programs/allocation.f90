! Allocatable coarrays: again and again, with stat=, in procedures, large and small
!# images 1 2 4
!>* ok {i}
program allocation
  implicit none
  real, allocatable :: a(:)[:], s[:], big(:, :)[:]
  integer :: i, o, status
  character(40) :: message
  o = mod(this_image(), num_images()) + 1
  do i = 1, 30
    allocate (a(i*100)[*])
    a = this_image()*i
    sync all
    if (any(a(:)[o] /= o*i)) error stop 'round'
    deallocate (a)
  end do
  allocate (s[*], stat=status)
  if (status /= 0) error stop 'stat'
  s = 3
  allocate (a(3)[*])
  allocate (a(5)[*], stat=status, errmsg=message)
  if (status == 0) error stop 'allocated twice'
  allocate (big(1000, 1000)[*])
  big(1000, 1000) = this_image()
  sync all
  if (big(1000, 1000)[o] /= o) error stop 'big'
  deallocate (big, stat=status)
  if (status /= 0 .or. allocated(big)) error stop 'deallocated'
  do i = 1, 3
    call local(10*i)
  end do
  print '(a,i0)', 'ok ', this_image()
contains
  subroutine local(size_of)
    integer, intent(in) :: size_of
    integer, allocatable :: l(:)[:]
    allocate (l(size_of)[*])
    l = this_image()
    sync all
    if (sum(l(:)[o]) /= o*size_of) error stop 'local'
    sync all
  end subroutine
end program
