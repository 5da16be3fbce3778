! Coarrays as explicit-shape, assumed-shape and recursive dummies, and of an extended type.
!# images 1 2 4
!>* ok {i}
module shapes
  implicit none
  type base
    integer :: id = 0
  end type
  type, extends(base) :: disc
    real :: radius = 1
    real, allocatable :: holes(:)
  end type
contains
  subroutine ring(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n, 2)[2, *]
    integer :: c(2)
    c = this_image(a)
    if (image_index(a, c) /= this_image()) error stop 'index'
    a(1, 1)[c(1), c(2)] = a(1, 1)[c(1), c(2)] + 1
  end subroutine
  recursive integer function depth(x, d) result(r)
    integer, intent(inout) :: x[*]
    integer, intent(in) :: d
    if (d == 0) then
      r = x[this_image()]
    else
      r = 1 + depth(x, d - 1)
    end if
  end function
  subroutine assumed(a, first)
    integer, intent(inout) :: a(:)[*]
    integer, intent(in) :: first
    integer :: other
    other = mod(this_image(), num_images()) + 1
    a(2:)[other] = first
  end subroutine
end module
program dummies_of_coarrays
  use shapes
  implicit none
  real :: a(3, 2)[*]
  integer :: x[*], b(0:19)[*], me, n
  type(disc), allocatable :: d(:)[:]
  real, allocatable :: h(:)
  me = this_image(); n = num_images()
  a = me; x = 10*me; b = 0
  call ring(a, 3)
  if (a(1, 1) /= me + 1) error stop 'ring'
  if (depth(x, 5) /= 10*me + 5) error stop 'depth'
  sync all
  call assumed(b(1:19:3), me)
  sync all
  if (count(b /= 0) /= 6 .or. b(1) /= 0 .or. b(4) /= mod(me + n - 2, n) + 1) error stop 'assumed'
  allocate (d(2)[*])
  d(1)%id = me; d(2)%radius = me + 0.5
  allocate (d(2)%holes(me)); d(2)%holes = me
  sync all
  h = d(2)[n]%holes
  if (size(h) /= n .or. any(h /= n)) error stop 'holes'
  if (d(1)[n]%id /= n .or. d(2)[1]%radius /= 1.5) error stop 'components'
  sync all
  deallocate (d(2)%holes)
  sync all
  deallocate (d)
  print '(a,i0)', 'ok ', me
end program
