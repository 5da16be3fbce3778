! An event of a coarray that is not allocated
!# images 2
!# status fails
!# error event post: the coarray is not allocated
program event_unallocated
  use iso_fortran_env, only: event_type
  implicit none
  type(event_type), allocatable :: e(:)[:]
  event post (e(1)[2])
end program
