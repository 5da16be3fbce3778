! co_broadcast of sections of different lengths
!# images 2
!# status fails
!# error co_broadcast: .*(28 bytes|12 bytes|disagree)
program mistake
  implicit none
  real :: a(10)
  a = this_image()
  if (this_image() == 1) then
  call co_broadcast(a(1:3), 1)
  else
  call co_broadcast(a(1:7), 1)
  endif
end program
