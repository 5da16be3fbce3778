! Assignments from one image to another by a third, with sections and kinds
!# images 3
!>* ok {i}
program others_to_others
  implicit none
  integer :: a(6)[*], me
  real(8) :: r(6)[*]
  me = this_image()
  a = [1, 2, 3, 4, 5, 6]*me
  r = 0
  sync all
  if (me == 1) then
    r(1:3)[3] = a(1:5:2)[2]
    r(6)[3] = a(6)[1]
    r(4:5)[1] = a(6:5:-1)[3]
    a(1)[2] = a(1)[3]
  end if
  sync all
  if (me == 3 .and. any(r /= [2, 6, 10, 0, 0, 6])) error stop 'third'
  if (me == 1 .and. any(r /= [0, 0, 0, 18, 15, 0])) error stop 'first'
  if (me == 2 .and. (any(r /= 0) .or. a(1) /= 3)) error stop 'second'
  print '(a,i0)', 'ok ', me
end program
