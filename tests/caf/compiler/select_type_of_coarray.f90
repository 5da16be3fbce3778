! Assignment to a component of a polymorphic coarray inside of `select type`: an internal error of the compiler
!# refused internal compiler error
program select_type_of_coarray
  implicit none
  type base
    integer :: n = 0
  end type
  type, extends(base) :: more
    integer :: side = 0
  end type
  class(base), allocatable :: s[:]
  allocate (more :: s[*])
  select type (s)
  type is (more)
    s%side = 3
  end select
end program
