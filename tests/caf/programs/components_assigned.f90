! Allocatable components that assignments allocate and reallocate, by some images alone
!# images 2 3
!>* ok {i}
program components_assigned
  implicit none
  type t
    integer, allocatable :: a(:)
  end type
  type(t) :: x[*]
  integer :: o, me, i, got(3)
  me = this_image(); o = mod(me, num_images()) + 1
  if (me == 1) x%a = [1, 2, 3]
  sync all
  if (me == 1) x%a = [x%a, 4]
  if (me /= 1) x%a = [(me*10 + i, i = 1, 3)]
  sync all
  got = x[o]%a(1:3)
  if (any(got /= merge([1, 2, 3], o*10 + [1, 2, 3], o == 1))) error stop 'values'
  if (me == 1 .and. size(x%a) /= 4) error stop 'size'
  print '(a,i0)', 'ok ', me
end program
