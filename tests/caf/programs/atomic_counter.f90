! A counter that all images add to; each value is given to one of them
!# images 2 4
!>* ok {i}
!> all
program atomic_counter
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer, parameter :: each = 200
  integer(atomic_int_kind) :: next[*], mine
  integer :: taken(0:each*8)[*], i
  next = 0
  taken = 0
  sync all
  do i = 1, each
    call atomic_fetch_add(next[1], 1, mine)
    taken(mine)[1] = taken(mine)[1] + 1
  end do
  sync all
  if (this_image() == 1) then
    if (any(taken(:each*num_images() - 1) /= 1) .or. next /= each*num_images()) error stop 'not each once'
    print '(a)', 'all'
  end if
  print '(a,i0)', 'ok ', this_image()
end program
