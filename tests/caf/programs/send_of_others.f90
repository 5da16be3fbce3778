! An image assigns another image's elements to a third one's
!# images 1 3
!>* ok {i}
program send_of_others
  implicit none
  integer :: a(10)[*], b(10)[*], i, me, n
  real(8) :: d(10)[*]
  me = this_image(); n = num_images()
  a = [(me*100 + i, i = 1, 10)]; b = 0; d = 0
  sync all
  if (me == 1) then
    b(:)[n] = a(:)[mod(1, n) + 1]
    d(2:10:2)[n] = a(5:1:-1)[1]
    d(1)[n] = a(3)[mod(1, n) + 1]
  end if
  sync all
  if (me == n) then
    if (any(b /= [((mod(1, n) + 1)*100 + i, i = 1, 10)])) error stop 'whole'
    if (any(d(2:10:2) /= [(100 + i, i = 5, 1, -1)])) error stop 'converted'
    if (d(1) /= (mod(1, n) + 1)*100 + 3) error stop 'scalar'
  end if
  print '(a,i0)', 'ok ', me
end program
