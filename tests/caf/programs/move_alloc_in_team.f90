! A coarray that move_alloc has given to another variable ends with the team in which it was allocated. The variable is
! a procedure's own, which looks after it once more at its end.
!# images 2 4
!>* ok {i}
program moved_in_team
  use iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer, allocatable :: a(:)[:]
  integer :: me, round
  me = this_image()
  form team (1 + mod(me, 2), half)
  do round = 1, 3
    call use_both
  end do
  allocate (a(4)[*])
  a = me
  sync all
  if (a(4)[num_images()] /= num_images()) error stop 'value'
  deallocate (a)
  print '(a,i0)', 'ok ', me
contains
  subroutine use_both
    integer, allocatable :: first(:)[:], second(:)[:]
    change team (half)
      allocate (first(10)[*])
      first = this_image()
      call move_alloc(first, second)
      allocate (first(20)[*])
      first = -this_image()
      sync all
      if (second(10)[1] /= 1 .or. first(20)[num_images()] /= -num_images()) error stop 'values'
      sync all
    end team
    if (allocated(first)) error stop 'allocated behind the team'
  end subroutine
end program
