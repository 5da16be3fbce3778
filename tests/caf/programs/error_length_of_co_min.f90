! co_min of characters of different lengths
!# images 2
!# status fails
!# error co_min: an element has . bytes at this image, and another number at others
program mistake
  implicit none
  character(len=:), allocatable :: c
  c = repeat('x', 2+this_image())
  call co_min(c)
end program
