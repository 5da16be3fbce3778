! An assignment of another image's elements under a mask
!# refused Unsupported statement inside WHERE
program where_of_remote
  implicit none
  integer :: a(4)[*], b(4)
  a = this_image()
  sync all
  b = 0
  where ([1, 2, 3, 4] > 2) b = a(:)[1]
  if (sum(b) /= 2) error stop
end program
