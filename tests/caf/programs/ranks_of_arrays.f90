! Arrays of ranks 1 to 7, and 14 with a codimension; one element and a section of each
!# images 2
!>* ok {i}
program ranks_of_arrays
  implicit none
  integer :: a2(3, 4)[*], a3(2, 3, 4)[*], a7(2, 2, 2, 2, 2, 2, 3)[*]
  integer :: a14(1, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2)[*]
  integer :: me, o, i
  me = this_image()
  o = 3 - me
  a2 = reshape([(100*me + i, i = 1, 12)], shape(a2))
  a3 = reshape([(200*me + i, i = 1, 24)], shape(a3))
  a7 = reshape([(300*me + i, i = 1, 192)], shape(a7))
  a14 = reshape([(400*me + i, i = 1, 32)], shape(a14))
  sync all
  if (a2(3, 4)[o] /= 100*o + 12 .or. a3(2, 3, 4)[o] /= 200*o + 24) error stop 'elements'
  if (a7(2, 2, 2, 2, 2, 2, 3)[o] /= 300*o + 192) error stop 'element of seven'
  if (any(a2(2, :)[o] /= 100*o + [2, 5, 8, 11]) .or. any(a2(:, 3)[o] /= 100*o + [7, 8, 9])) error stop 'row and column'
  if (any(a3(1, 2, :)[o] /= 200*o + [3, 9, 15, 21])) error stop 'line of three'
  if (any(a3(:, 3:1:-2, 2)[o] /= reshape(200*o + [11, 12, 7, 8], [2, 2]))) error stop 'plane of three'
  if (any(a7(1, 1, 2, 1, 1, 2, :)[o] /= 300*o + [37, 101, 165])) error stop 'line of seven'
  if (any(a14(1, 2, 1, :, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2)[o] /= 400*o + [26, 28])) error stop 'line of fourteen'
  sync all
  a3(:, 2, 3)[o] = [-me, -2*me]
  a7(2, 1, 1, 1, 1, 1, :)[o] = -me
  sync all
  if (any(a3(:, 2, 3) /= [-o, -2*o]) .or. any(a7(2, 1, 1, 1, 1, 1, :) /= -o)) error stop 'written'
  if (a3(1, 1, 3) /= 200*me + 13 .or. a7(1, 1, 1, 1, 1, 1, 2) /= 300*me + 65) error stop 'neighbours'
  print '(a,i0)', 'ok ', me
end program
