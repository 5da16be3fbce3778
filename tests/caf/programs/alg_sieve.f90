! Primes: each image strikes multiples from its part; the primes to strike with come from the first image
!# images 1 2 4
!> 168
program sieve
  implicit none
  integer, parameter :: last = 1000
  logical, allocatable :: is_prime(:)[:]
  integer :: part, low, p, i, count_here
  part = (last + num_images() - 1)/num_images()
  low = (this_image() - 1)*part
  allocate (is_prime(part)[*])
  is_prime = .true.
  if (this_image() == 1) is_prime(1) = .false.
  sync all
  p = 2
  do while (p*p <= last)
    do i = max(p*p, ((low + p)/p)*p), min(last, low + part), p
      is_prime(i - low) = .false.
    end do
    sync all
    do
      p = p + 1
      if (is_prime(mod(p - 1, part) + 1)[(p - 1)/part + 1]) exit
    end do
    sync all
  end do
  count_here = count(is_prime(:min(part, last - low)))
  call co_sum(count_here)
  if (this_image() == 1) print '(i0)', count_here
end program
