! co_reduce of sections of different lengths
!# images 2
!# status fails
!# error co_reduce: .*disagree
program mistake
  implicit none
  integer :: a(10)
  a = this_image()
  call co_reduce(a(1:2*this_image()), mul)
contains
  pure integer function mul(x,y)
    integer, intent(in) :: x,y
    mul = x*y
  end function
end program
