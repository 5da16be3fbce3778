! Images, synchronizations and declarations of coarrays, as LLVM Flang 22 lowers them.
!# images 1 2 4
!>* image {i} of {n}
module shared
  implicit none
  integer, save :: kept(4)[*]
end module
program images
  use iso_fortran_env, only: stat_stopped_image, team_type
  use shared
  implicit none
  integer, save :: own[*]
  real, save :: table(2, 2)[2, *]
  integer :: me, n, status, round
  character(60) :: message
  me = this_image()
  n = num_images()
  own = me
  kept = [me, 2*me, 3*me, 4*me]
  table = real(me)
  sync all
  if (own /= me .or. kept(4) /= 4*me .or. any(table /= me)) error stop 'own values'
  do round = 1, 50
    sync all (stat=status)
    if (status /= 0) error stop 'stat'
    sync images (*)
    if (n > 1) sync images ([mod(me, n) + 1, mod(me + n - 2, n) + 1], stat=status, errmsg=message)
  end do
  sync memory
  if (me == 1 .and. n == 1) then
    sync images (1)
  end if
  sync images ([n + 1], stat=status, errmsg=message)
  if (status == 0 .or. index(message, 'none of the') == 0) error stop 'no such image'
  print '(a,i0,a,i0)', 'image ', me, ' of ', n
end program
