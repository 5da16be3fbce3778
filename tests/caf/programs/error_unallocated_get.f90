! a read of a coarray that is not allocated
!# images 2
!# status fails
!# error get: the coarray is not allocated
program mistake
  implicit none
  integer, allocatable :: a(:)[:]
  integer :: b
  b = a(3)[2]
  print *, b
end program
