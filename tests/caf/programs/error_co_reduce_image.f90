! A result image that there is not
!# images 2
!# status fails
!# error co_sum.*image 5
program co_image
  implicit none
  integer :: a
  a = 1
  call co_sum(a, result_image=5)
end program
