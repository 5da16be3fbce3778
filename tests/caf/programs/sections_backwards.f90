! Sections with negative strides on both sides, and sections of one element
!# images 2 3
!>* ok {i}
program sections_backwards
  implicit none
  integer :: a(-5:5)[*], b(11), me, o, i
  me = this_image()
  o = mod(me, num_images()) + 1
  a = [(100*me + i, i = -5, 5)]
  sync all
  b = a(5:-5:-1)[o]
  if (any(b /= [(100*o - i, i = -5, 5)])) error stop 'all backwards'
  b(11:1:-2) = a(-5:5:2)[o]
  if (any(b(1:11:2) /= [(100*o - i, i = -5, 5, 2)])) error stop 'into backwards'
  b(1:4) = a(4:-5:-3)[o]
  if (any(b(1:4) /= 100*o + [4, 1, -2, -5])) error stop 'by three'
  if (size(a(3:2)[o]) /= 0 .or. any(a(2:2)[o] /= 100*o + 2)) error stop 'none and one'
  sync all
  a(5:3:-1)[o] = [1, 2, 3]*me
  a(-5:5:10)[o] = -me
  sync all
  i = merge(num_images(), me - 1, me == 1)
  if (any(a(3:4) /= [3, 2]*i) .or. any(a([-5, 5]) /= -i)) error stop 'written'
  print '(a,i0)', 'ok ', me
end program
