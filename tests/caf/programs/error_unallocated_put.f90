! a write to a coarray that is not allocated
!# images 2
!# status fails
!# error send: the coarray is not allocated
program mistake
  implicit none
  integer, allocatable :: a[:]
  a[2] = 3
end program
