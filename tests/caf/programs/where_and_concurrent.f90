! `where` and `do concurrent` with other images' elements
!# images 2
!>* ok {i}
program where_and_concurrent
  implicit none
  integer :: a(6)[*], b(6), me, o, i
  me = this_image()
  o = 3 - me
  a = [(me*i, i = 1, 6)]
  sync all
  b = a(:)[o]
  where (b > 3*o) b = -1
  if (any(b /= [1*o, 2*o, 3*o, -1, -1, -1])) error stop 'where'
  do concurrent (i = 1:6)
    b(i) = a(7 - i)[o]
  end do
  if (any(b /= [6, 5, 4, 3, 2, 1]*o)) error stop 'do concurrent'
  print '(a,i0)', 'ok ', me
end program
