! A section beyond the bounds of another image's component
!# images 2
!# status fails
!# error send: subscript 2 is outside the bounds 3:7
program mistake
  use iso_fortran_env
  implicit none
  type t
    integer, allocatable :: v(:)
  end type
  type(t) :: a[*]
  integer :: i = 2
  allocate (a%v(3:7))
  sync all
  if (this_image() == 1) then
    a[2]%v(i:5) = 0
  end if
  sync all
end program
