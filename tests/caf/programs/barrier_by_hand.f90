! A dissemination barrier of atomics and `sync memory`
!# images 2 3 5
!>* ok {i}
program barrier_by_hand
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: flags(0:3)[*]
  integer :: value[*], me, n, round, i
  me = this_image()
  n = num_images()
  flags = 0
  sync all
  do round = 1, 20
    value = round*me
    call wait_for_all(2*round - 1)
    do i = 1, n
      if (value[i] /= round*i) error stop 'before the barrier'
    end do
    call wait_for_all(2*round)
  end do
  print '(a,i0)', 'ok ', me
contains
  subroutine wait_for_all(number)
    integer, intent(in) :: number
    integer(atomic_int_kind) :: seen
    integer :: step, distance
    sync memory
    distance = 1
    step = 0
    do while (distance < n)
      call atomic_define(flags(step)[mod(me - 1 + distance, n) + 1], number)
      do
        call atomic_ref(seen, flags(step))
        if (seen >= number) exit
      end do
      distance = 2*distance
      step = step + 1
    end do
    sync memory
  end subroutine
end program
