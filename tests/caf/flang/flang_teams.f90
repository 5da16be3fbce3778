! Teams as LLVM Flang 22 lowers them. It refuses `num_images` of a team variable, and ends by a signal where a team construct
! has a statement `stop`.
!# images 2 3 4
!>* ok {i}
program teams
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: me, n, sum, status, members
  logical :: wrong
  me = this_image()
  n = num_images()
  members = (n + mod(me, 2))/2
  form team (1 + mod(me, 2), half, stat=status)
  if (status /= 0) error stop 'form team'
  change team (half)
    wrong = num_images() /= members .or. this_image() /= (me + 1)/2
    sum = me
    call co_sum(sum)
    sync all
  end team
  if (wrong) error stop 'numbers'
  if (me == 1 .and. sum /= members**2) error stop 'sum of the odd images'
  if (this_image() /= me .or. num_images() /= n) error stop 'numbers behind the team'
  sync team (half)
  print '(a,i0)', 'ok ', me
end program
