! A dummy coarray has cobounds of its own
!# images 4 6
!>* ok {i}
program cobounds_of_dummies
  implicit none
  integer :: a(3)[*], me, n
  me = this_image()
  n = num_images()
  a = [me, 2*me, 3*me]
  sync all
  call from_zero(a)
  call in_two_dimensions(a(2))
  print '(a,i0)', 'ok ', me
contains
  subroutine from_zero(x)
    integer, intent(in) :: x(0:2)[0:*]
    if (x(2)[n - 1] /= 3*n .or. x(0)[0] /= 1) error stop 'from zero'
    if (this_image(x, 1) /= me - 1) error stop 'cosubscript'
  end subroutine
  subroutine in_two_dimensions(x)
    integer, intent(in) :: x[2, *]
    if (x[1, 2] /= 6 .or. x[2, n/2] /= 2*n) error stop 'two dimensions'
  end subroutine
end program
