! The rest stops without a synchronization behind the first stop
!# images 2 4 8
!>* ok {i}
program stops
  implicit none
  integer :: a[*], i
  a = this_image()
  sync all
  do i = 1, this_image()*10
    a = a + a[mod(this_image(), num_images()) + 1]
    a = mod(a, 1000)
  end do
  print '(a,i0)', 'ok ', this_image()
end program
