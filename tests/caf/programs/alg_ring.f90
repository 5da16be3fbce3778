! A token that goes round, with a sum of all image numbers
!# images 1 2 5
!>* ok {i}
program ring
  use iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: here[*]
  integer :: token[*], me, n, round
  me = this_image()
  n = num_images()
  token = 0
  sync all
  if (me == 1) event post (here[1])
  do round = 1, 10
    event wait (here)
    if (n > 1) token[mod(me, n) + 1] = token + me
    if (n == 1) token = token + 1
    if (.not. (round == 10 .and. me == n)) event post (here[mod(me, n) + 1])
  end do
  sync all
  if (token[1] /= 10*n*(n + 1)/2) error stop 'sum'
  print '(a,i0)', 'ok ', me
end program
