! Contiguous and strided sections of one to three dimensions
!# images 1 2 3
!>* ok {i}
program sections
  implicit none
  integer :: a(20)[*], m(5, 6)[*], t(3, 4, 5)[*]
  integer :: b(20), k(5, 6), u(3, 4, 5), i, j, l, me, n, o
  me = this_image(); n = num_images(); o = mod(me, n) + 1
  a = [(me*1000 + i, i = 1, 20)]
  m = reshape([(me*1000 + i, i = 1, 30)], [5, 6])
  t = reshape([(me*1000 + i, i = 1, 60)], [3, 4, 5])
  sync all
  b = 0
  b = a(:)[o]
  if (any(b /= [(o*1000 + i, i = 1, 20)])) error stop 'whole'
  b(1:7) = a(2:20:3)[o]
  if (any(b(1:7) /= [(o*1000 + i, i = 2, 20, 3)])) error stop 'strided'
  b(1:10) = a(20:2:-2)[o]
  if (any(b(1:10) /= [(o*1000 + i, i = 20, 2, -2)])) error stop 'backwards'
  b(20:11:-1) = a(1:10)[o]
  if (any(b(20:11:-1) /= [(o*1000 + i, i = 1, 10)])) error stop 'into backwards'
  k = 0
  k(2:4, ::2) = m(1:5:2, 2::2)[o]
  do j = 1, 3
    do i = 1, 3
      if (k(i + 1, 2*j - 1) /= o*1000 + (2*i - 1) + 5*(2*j - 1)) error stop 'matrix'
    end do
  end do
  b(1:6) = m(3, :)[o]
  if (any(b(1:6) /= [(o*1000 + 3 + 5*(j - 1), j = 1, 6)])) error stop 'row'
  u = 0
  u(:, 2:3, 1:5:2) = t(:, 3:4, 5:1:-2)[o]
  do l = 1, 3
    do j = 1, 2
      do i = 1, 3
        if (u(i, j + 1, 2*l - 1) /= o*1000 + i + 3*(j + 1) + 12*(6 - 2*l)) error stop 'cube'
      end do
    end do
  end do
  sync all
  a(1:20:4)[o] = [(-i, i = 1, 5)]
  m(:, 2)[o] = me
  m(4, 3:6)[o] = [7, 8, 9, 10]
  t(2:3, 1:3:2, 5)[o] = reshape([1, 2, 3, 4], [2, 2])
  sync all
  if (any(a(1:20:4) /= [(-i, i = 1, 5)]) .or. a(2) /= me*1000 + 2) error stop 'written'
  o = mod(me + n - 2, n) + 1
  if (any(m(:, 2) /= o) .or. any(m(4, 3:6) /= [7, 8, 9, 10])) error stop 'matrix written'
  if (any(t(2:3, 1:3:2, 5) /= reshape([1, 2, 3, 4], [2, 2]))) error stop 'cube written'
  if (t(1, 1, 5) /= me*1000 + 49) error stop 'beside'
  print '(a,i0)', 'ok ', me
end program
