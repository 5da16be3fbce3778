! Philosophers with a fork at each image: the last one takes them in the other order
!# images 2 5
!>* ok {i}
program philosophers
  use iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: forks[*]
  integer :: uses[*], me, n, first, second, round
  me = this_image()
  n = num_images()
  uses = 0
  first = min(me, mod(me, n) + 1)
  second = max(me, mod(me, n) + 1)
  sync all
  do round = 1, 15
    lock (forks[first])
    lock (forks[second])
    uses[first] = uses[first] + 1
    uses[second] = uses[second] + 1
    unlock (forks[second])
    unlock (forks[first])
  end do
  sync all
  if (uses /= 30) error stop 'uses'
  print '(a,i0)', 'ok ', me
end program
