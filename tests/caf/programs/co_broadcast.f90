! co_broadcast of all types, from any image
!# images 1 2 4
!>* ok {i}
program broadcasts
  implicit none
  type t
    integer :: i
    character(5) :: c
    real :: r(3)
  end type
  type(t) :: x, y(2)
  integer :: i, a(10), m(3, 3)
  complex(8) :: z
  logical(1) :: l
  character(7) :: c, d(2)
  real(16) :: q
  integer :: from
  do from = 1, num_images()
    if (this_image() == from) then
      i = 5; a = [(i, i = 1, 10)]; i = from; m = from; z = (1, 2); l = .true.; c = 'text'; d = ['one', 'two']
      q = 1.0_16/3; x = t(from, 'hello', [1, 2, 3]); y = x
    else
      i = 0; a = 0; m = 0; z = 0; l = .false.; c = ''; d = ''; q = 0; x = t(0, '', 0); y = x
    end if
    call co_broadcast(i, from); if (i /= from) error stop 'integer'
    call co_broadcast(a(1:10:3), from)
    if (any(a(1:10:3) /= [1, 4, 7, 10])) error stop 'section'
    if (this_image() /= from .and. any(a(2:3) /= 0)) error stop 'beside the section'
    call co_broadcast(m, source_image=from); if (any(m /= from)) error stop 'matrix'
    call co_broadcast(z, from); if (z /= (1, 2)) error stop 'complex'
    call co_broadcast(l, from); if (.not. l) error stop 'logical'
    call co_broadcast(c, from); if (c /= 'text') error stop 'character'
    call co_broadcast(d, from); if (d(2) /= 'two') error stop 'characters'
    call co_broadcast(q, from); if (q /= 1.0_16/3) error stop 'real(16)'
    call co_broadcast(x, from); if (x%i /= from .or. x%c /= 'hello' .or. x%r(3) /= 3) error stop 'derived type'
    call co_broadcast(y, from); if (y(2)%c /= 'hello') error stop 'derived types'
  end do
  print '(a,i0)', 'ok ', this_image()
end program
