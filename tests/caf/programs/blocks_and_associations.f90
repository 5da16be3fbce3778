! Coarrays in block constructs; `associate` with coarrays and with values of other images
!# images 2
!>* ok {i}
program blocks_and_associations
  implicit none
  integer :: a(3)[*], me, o
  me = this_image()
  o = 3 - me
  a = [1, 2, 3]*me
  sync all
  block
    integer, save :: inner(2)[*]
    integer, allocatable :: made(:)[:]
    inner = 5*me
    allocate (made(4)[*])
    made = 6*me
    sync all
    if (inner(2)[o] /= 5*o .or. made(4)[o] /= 6*o) error stop 'block'
    sync all
  end block
  associate (mine => a(2))
    mine = -me
    sync all
    if (a(2)[o] /= -o) error stop 'associate'
  end associate
  associate (sum_of_both => a(1)[1] + a(1)[2])
    if (sum_of_both /= 3) error stop 'expression'
  end associate
  print '(a,i0)', 'ok ', me
end program
