! sync all orders what images do before and behind it
!# images 1 2 4 8
!>* ok {i}
program sync_all
  implicit none
  integer :: a[*], i, o, status
  character(20) :: message
  o = mod(this_image(), num_images()) + 1
  do i = 1, 200
    a = i
    sync all
    if (a[o] /= i) error stop 'too early'
    sync all (stat=status, errmsg=message)
    if (status /= 0) error stop 'stat'
  end do
  print '(a,i0)', 'ok ', this_image()
end program
