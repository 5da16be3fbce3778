! Transposition of a matrix whose columns lie at the images: blocks go from each to each
!# images 1 2 4
!>* ok {i}
program transposition
  implicit none
  integer, parameter :: m = 3
  integer, allocatable :: a(:, :)[:], t(:, :)[:]
  integer :: me, n, p, i, j
  me = this_image()
  n = num_images()
  allocate (a(n*m, m)[*], t(n*m, m)[*])
  do j = 1, m
    do i = 1, n*m
      a(i, j) = 1000*i + (me - 1)*m + j
    end do
  end do
  sync all
  do p = 1, n
    t((me - 1)*m + 1:me*m, :)[p] = transpose(a((p - 1)*m + 1:p*m, :))
  end do
  sync all
  do j = 1, m
    do i = 1, n*m
      if (t(i, j) /= 1000*((me - 1)*m + j) + i) error stop 'element'
    end do
  end do
  print '(a,i0)', 'ok ', me
end program
