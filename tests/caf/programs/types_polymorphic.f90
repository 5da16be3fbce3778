! A polymorphic coarray, and a type-bound procedure with a passed coarray
!# images 2
!>* ok {i}
module shapes
  implicit none
  type :: shape_t
    integer :: n = 0
  contains
    procedure :: area => area_of_shape
    procedure :: set => set_nothing
  end type
  type, extends(shape_t) :: square_t
    integer :: side = 0
  contains
    procedure :: area => area_of_square
    procedure :: set => set_side
  end type
contains
  integer function area_of_shape(this)
    class(shape_t), intent(in) :: this
    area_of_shape = -this%n
  end function
  subroutine set_nothing(this, to)
    class(shape_t), intent(inout) :: this
    integer, intent(in) :: to
    this%n = -to
  end subroutine
  subroutine set_side(this, to)
    class(square_t), intent(inout) :: this
    integer, intent(in) :: to
    this%side = to
  end subroutine
  integer function area_of_square(this)
    class(square_t), intent(in) :: this
    area_of_square = this%side**2
  end function
end module
program types_polymorphic
  use shapes
  implicit none
  class(shape_t), allocatable :: s[:]
  type(square_t), save :: q[*]
  integer :: me, o
  me = this_image()
  o = 3 - me
  allocate (square_t :: s[*])
  s%n = 7*me
  call s%set(3*me)
  q%side = 5*me
  sync all
  if (s%area() /= 9*me**2 .or. q%area() /= 25*me**2) error stop 'area'
  if (s[o]%n /= 7*o .or. q[o]%side /= 5*o) error stop 'components'
  sync all
  s[o]%n = -me
  q[o]%side = me
  sync all
  if (s%n /= -o .or. q%area() /= o**2) error stop 'written'
  deallocate (s)
  print '(a,i0)', 'ok ', me
end program
