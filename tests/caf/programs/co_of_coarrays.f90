! Collectives of coarrays themselves, and of large arrays
!# images 2 4
!>* ok {i}
program co_of_coarrays
  implicit none
  integer :: a(10)[*], me, n
  real(8), allocatable :: big(:)[:]
  me = this_image()
  n = num_images()
  a = me
  call co_sum(a)
  sync all
  if (any(a(:)[n] /= n*(n + 1)/2)) error stop 'sum'
  allocate (big(200000)[*])
  big = me
  call co_max(big)
  sync all
  if (big(200000)[1] /= n .or. any(big /= n)) error stop 'max'
  sync all
  big = merge(7d0, 0d0, me == n)
  call co_broadcast(big, n)
  if (any(big /= 7)) error stop 'broadcast'
  print '(a,i0)', 'ok ', me
end program
