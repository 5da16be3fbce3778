! co_sum of sections of different lengths
!# images 2
!# status fails
!# error co_sum: .*rank 1 is in an allreduce of 24 bytes, rank 0 is in an allreduce of 20 bytes|co_sum: .*disagree
program mistake
  implicit none
  real :: a(10)
  a = this_image()
  call co_sum(a(1:4 + this_image()))
end program
