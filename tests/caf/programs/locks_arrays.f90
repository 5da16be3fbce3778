! Arrays of locks, and allocatable ones
!# images 2 4
!>* ok {i}
program locks_arrays
  use iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: doors(3)[*]
  integer :: balances(3)[*]
  type(lock_type), allocatable :: made(:)[:]
  integer :: counter(2)[*], i, k, me, n
  me = this_image()
  n = num_images()
  allocate (made(2)[*])
  counter = 0
  balances = 0
  sync all
  do i = 1, 15
    k = 1 + mod(i + me, 2)
    lock (made(k)[n])
    counter(k)[n] = counter(k)[n] + 1
    unlock (made(k)[n])
    k = 1 + mod(i, 3)
    lock (doors(k)[1])
    balances(k)[1] = balances(k)[1] + me
    unlock (doors(k)[1])
  end do
  sync all
  if (sum(counter(:)[n]) /= 15*n) error stop 'counters'
  do k = 1, 3
    if (balances(k)[1] /= 5*n*(n + 1)/2) error stop 'balances'
  end do
  deallocate (made)
  print '(a,i0)', 'ok ', me
end program
