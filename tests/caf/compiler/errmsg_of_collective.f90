! errmsg= of a fixed length in calls of collectives
!# wrong the compiler passes its value and not its address
program wrong
  implicit none
  integer :: a[*], s, status
  character(60) :: message
  a = 1; s = 1; message = ''
  call co_broadcast(s, 9, stat=status, errmsg=message)
  if (status == 0) stop
  if (message == '') error stop 'no message'
end program
