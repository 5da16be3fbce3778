! Optional dummy coarrays, and coarrays handed on
!# images 2 3
!>* ok {i}
program optional_dummies
  implicit none
  integer :: a(4)[*], me, o
  me = this_image()
  o = mod(me, num_images()) + 1
  a = me
  sync all
  if (first_of() /= -1 .or. first_of(a) /= o) error stop 'optional'
  if (handed_on(a) /= 4*o) error stop 'handed on'
  call write_to(a(3:4), -me)
  sync all
  if (any(a /= [me, me, 0, 0] - [0, 0, 1, 1]*merge(num_images(), me - 1, me == 1))) error stop 'written'
  print '(a,i0)', 'ok ', me
contains
  integer function first_of(x)
    integer, optional, intent(in) :: x(:)[*]
    first_of = -1
    if (present(x)) first_of = x(1)[o]
  end function
  integer function handed_on(x)
    integer, intent(in) :: x(*)[*]
    handed_on = summed(x, 4)
  end function
  integer function summed(x, n)
    integer, intent(in) :: n, x(n)[*]
    summed = sum(x(:)[o])
  end function
  subroutine write_to(x, value)
    integer, intent(inout) :: x(2)[*]
    integer, intent(in) :: value
    x(:)[o] = value
  end subroutine
end program
