! Matrix product by rows: each image reads the others' columns in turn
!# images 1 2 4
!>* ok {i}
program product_of_matrices
  implicit none
  integer, parameter :: m = 6
  integer :: a(m, 4*m), b(4*m, m)[*], c(m, m), part(4*m, m), expected, me, n, k, i, j, p, other
  me = this_image()
  n = num_images()
  do j = 1, 4*m
    do i = 1, m
      a(i, j) = i + m*(me - 1) - j
    end do
  end do
  do j = 1, m
    do i = 1, 4*m
      b(i, j) = i*(j + m*(me - 1))
    end do
  end do
  sync all
  do p = 0, n - 1
    other = mod(me - 1 + p, n) + 1
    part = b(:, :)[other]
    c = matmul(a, part)
    do j = 1, m
      do i = 1, m
        expected = 0
        do k = 1, 4*m
          expected = expected + (i + m*(me - 1) - k)*k*(j + m*(other - 1))
        end do
        if (c(i, j) /= expected) error stop 'product'
      end do
    end do
  end do
  print '(a,i0)', 'ok ', me
end program
