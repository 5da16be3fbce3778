! `forall` with another image's elements: an internal error of the compiler
!# refused internal compiler error
program forall_of_remote
  implicit none
  integer :: a(4)[*], b(4), i
  a = this_image()
  sync all
  forall (i = 1:4) b(i) = a(5 - i)[1]
  if (sum(b) /= 4) error stop
end program
