! Sections of some MiB, dense and strided
!# images 2
!>* ok {i}
program large
  implicit none
  integer, parameter :: n = 1000
  real(8), allocatable :: a(:, :)[:], b(:, :)
  integer :: me, o, i, j
  me = this_image()
  o = 3 - me
  allocate (a(n, n)[*], b(n, n))
  do j = 1, n
    do i = 1, n
      a(i, j) = me*1d7 + j*n + i
    end do
  end do
  sync all
  b = a(:, :)[o]
  if (b(1, 1) /= o*1d7 + n + 1 .or. b(n, n) /= o*1d7 + n*n + n .or. sum(b - a) /= (o - me)*1d7*n*n) error stop 'all'
  b(:n/2, :) = a(1:n:2, :)[o]
  if (b(n/2, n) /= o*1d7 + n*n + n - 1) error stop 'strided'
  b(:, :10) = a(:, n:n - 9:-1)[o]
  if (b(5, 10) /= o*1d7 + (n - 9)*n + 5) error stop 'backwards'
  sync all
  b = -me
  a(:, :n/2)[o] = b(:, n/2 + 1:)
  sync all
  if (any(a(:, :n/2) /= -o) .or. a(1, n/2 + 1) /= me*1d7 + (n/2 + 1)*n + 1) error stop 'written'
  deallocate (a)
  print '(a,i0)', 'ok ', me
end program
