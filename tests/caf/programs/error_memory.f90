! A coarray for which there is no memory: with stat=, and without
!# images 2
!# status fails
!# error allocate: 
program mistake
  implicit none
  real, allocatable :: a(:)[:]
  integer :: status
  allocate (a(2_8**45)[*], stat=status)
  if (status == 0 .or. allocated(a)) stop 0
  allocate (a(2_8**45)[*])
end program
