! Images that look at atomic variables in turn
!# images 2 4
!>* ok {i}
program spinning
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: turn[*], seen
  integer :: i
  call atomic_define(turn, 1)
  sync all
  do i = 1, 20
    seen = 0
    do while (seen /= this_image())
      call atomic_ref(seen, turn[1])
    end do
    call atomic_define(turn[1], mod(this_image(), num_images()) + 1)
  end do
  print '(a,i0)', 'ok ', this_image()
end program
