! Coarrays of different sizes, allocated and deallocated in different orders
!# images 2 3
!>* ok {i}
program allocation_many
  implicit none
  type box
    integer, allocatable :: a(:)[:], b(:, :)[:], c[:], d(:)[:]
  end type
  type(box) :: of
  integer :: me, round, o
  me = this_image()
  o = mod(me, num_images()) + 1
  do round = 1, 10
    allocate (of%a(round*round)[*], of%b(round, 3)[*], of%c[*])
    of%a = me*1000 + round
    of%b = me*2000 + round
    of%c = me
    sync all
    if (of%a(round*round)[o] /= o*1000 + round .or. of%b(round, 3)[o] /= o*2000 + round) error stop 'values'
    if (of%c[o] /= o) error stop 'scalar'
    deallocate (of%b)
    allocate (of%d(5000/round)[*])
    of%d = -me*round
    sync all
    if (of%d(5000/round)[o] /= -o*round .or. of%a(1)[o] /= o*1000 + round .or. of%c[o] /= o) error stop 'reused'
    deallocate (of%a)
    allocate (of%b(2, 2)[*])
    of%b = round
    sync all
    if (any(of%b(:, :)[o] /= round)) error stop 'again'
    deallocate (of%d, of%c, of%b)
  end do
  print '(a,i0)', 'ok ', me
end program
