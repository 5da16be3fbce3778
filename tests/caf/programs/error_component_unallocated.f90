! A component that is not allocated at the other image
!# images 2
!# status fails
!# error get: a component is not allocated, or not associated, at image 2
program mistake
  use iso_fortran_env
  implicit none
  type t
    integer, allocatable :: v(:)
  end type
  type(t) :: a[*]
  integer :: i
  sync all
  if (this_image() == 1) then
    i = a[2]%v(1)
  end if
  sync all
end program
