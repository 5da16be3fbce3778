! A vector subscript of an array component that is not allocatable
!# refused internal compiler error
program refused
  use iso_fortran_env
  implicit none
  type t
    integer, allocatable :: a
    real :: r(4, 4)
  end type
  type(t) :: x[*]
  integer :: i(2) = [1, 3]
  real :: got(2)
  got = x[1]%r(i, 3)
end program
