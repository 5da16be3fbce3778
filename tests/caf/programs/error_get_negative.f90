! A read from a negative image number
!# images 2
!# status fails
!# error get: image -2 is none of the 2 images
program get_negative
  implicit none
  integer :: a[*], i
  a = 1
  i = -2
  if (a[i] == 1) print '(a)', 'never'
end program
