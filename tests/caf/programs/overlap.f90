! Assignments of an image to itself, in which both sides overlap
!# images 1 2
!>* ok {i}
program overlap
  implicit none
  integer :: a(10)[*], i, me
  me = this_image()
  a = [(i, i = 1, 10)]
  a(2:10)[me] = a(1:9)
  if (any(a /= [1, (i, i = 1, 9)])) error stop 'forwards'
  a = [(i, i = 1, 10)]
  a(1:9) = a(2:10)[me]
  if (any(a /= [(i, i = 2, 10), 10])) error stop 'backwards'
  a = [(i, i = 1, 10)]
  a(10:1:-1)[me] = a(:)[me]
  if (any(a /= [(i, i = 10, 1, -1)])) error stop 'reversed'
  sync all
  print '(a,i0)', 'ok ', me
end program
