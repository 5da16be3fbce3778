! stop without a code, with text, and quiet
!# images 2
!# error STOP all is done
!>* ok {i}
program stopping
  implicit none
  integer :: a[*]
  a = this_image()
  sync all
  print '(a,i0)', 'ok ', this_image()
  if (this_image() == 1) stop 'all is done'
  stop 'not said', quiet=.true.
end program
