! All images have the sum after exchanges with partners at distances 1, 2, 4
!# images 2 4 8
!>* ok {i}
program butterfly
  implicit none
  integer :: a(0:3)[*], me, n, step, partner
  me = this_image() - 1
  n = num_images()
  a(0) = me + 1
  step = 0
  do while (2**step < n)
    partner = ieor(me, 2**step) + 1
    sync images (partner)
    a(step + 1) = a(step) + a(step)[partner]
    step = step + 1
  end do
  sync all
  if (a(step) /= n*(n + 1)/2) error stop 'sum'
  print '(a,i0)', 'ok ', me + 1
end program
