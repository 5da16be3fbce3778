! co_sum with different result images
!# images 2
!# status fails
!# error co_sum: .*disagree about the root
program mistake
  implicit none
  integer :: a(10)
  a = this_image()
  call co_sum(a, result_image=this_image())
end program
