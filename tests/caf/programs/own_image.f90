! References to the calling image's own part, also overlapping ones
!# images 1 2
!>* ok {i}
program own_image
  implicit none
  integer :: a(8)[*], b[*], me, i
  me = this_image()
  a = [(i, i = 1, 8)]
  b = me
  sync all
  if (b[me] /= me .or. a(3)[this_image()] /= 3) error stop 'read'
  a(2:8)[me] = a(1:7)[me]
  if (any(a /= [1, 1, 2, 3, 4, 5, 6, 7])) error stop 'moved up'
  a(1:7)[me] = a(2:8)
  if (any(a /= [1, 2, 3, 4, 5, 6, 7, 7])) error stop 'moved down'
  a = a(8:1:-1)[me]
  if (any(a /= [7, 7, 6, 5, 4, 3, 2, 1])) error stop 'backwards'
  b[me] = b[me] + b
  if (b /= 2*me) error stop 'scalar'
  print '(a,i0)', 'ok ', me
end program
