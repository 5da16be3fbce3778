! Prefix sums over the images by doubling
!# images 1 3 4 7
!>* ok {i}
program prefix_sum
  implicit none
  integer :: a(2)[*], before(2), distance, me
  me = this_image()
  a = [me, me*me]
  sync all
  distance = 1
  do while (distance < num_images())
    before = 0
    if (me > distance) before = a(:)[me - distance]
    sync all
    a = a + before
    sync all
    distance = 2*distance
  end do
  if (any(a /= [me*(me + 1)/2, me*(me + 1)*(2*me + 1)/6])) error stop 'sum'
  print '(a,i0)', 'ok ', me
end program
