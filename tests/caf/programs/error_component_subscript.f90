! A subscript beyond the bounds of another image's component
!# images 2
!# status fails
!# error get: subscript 8 is outside the bounds 3:7
program mistake
  use iso_fortran_env
  implicit none
  type t
    integer, allocatable :: v(:)
  end type
  type(t) :: a[*]
  integer :: i = 8
  allocate (a%v(3:7))
  sync all
  if (this_image() == 1) then
    i = a[2]%v(i)
  end if
  sync all
end program
