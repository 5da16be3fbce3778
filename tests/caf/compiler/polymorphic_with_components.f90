! A polymorphic coarray with allocatable components
!# refused are unsupported
program refused
  implicit none
  type t
    integer, allocatable :: v(:)
  end type
  class(t), allocatable :: c[:]
  allocate (c[*])
end program
