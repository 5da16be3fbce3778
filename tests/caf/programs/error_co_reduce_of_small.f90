! co_reduce of a small derived type
!# images 2
!# status fails
!# error co_reduce: elements of a derived type of 8 bytes
program mistake
  use iso_fortran_env
  implicit none
  type t
    real :: a, b
  end type
  type(t) :: x
  integer :: y[*]
  sync all
  if (this_image() == 1) then
    x = t(1, 2)
    call co_reduce(x, sum_of)
  end if
  sync all
contains
  pure function sum_of(a, b) result(c)
    type(t), intent(in) :: a, b
    type(t) :: c
    c = t(a%a + b%a, a%b + b%b)
  end function
end program
