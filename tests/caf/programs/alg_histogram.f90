! A histogram that all images add to by atomics
!# images 2 4
!>* ok {i}
program histogram
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer, parameter :: bins = 8, draws = 100
  integer(atomic_int_kind) :: bin(bins)[*]
  integer :: i, k, n, total
  n = num_images()
  bin = 0
  sync all
  do i = 1, draws
    k = mod(i*this_image(), bins*n)
    call atomic_add(bin(mod(k, bins) + 1)[k/bins + 1], 1)
  end do
  sync all
  total = sum(bin)
  call co_sum(total)
  if (total /= draws*n) error stop 'total'
  do i = 1, n
    if (any(bin(:)[i] < 0)) error stop 'negative'
  end do
  print '(a,i0)', 'ok ', this_image()
end program
