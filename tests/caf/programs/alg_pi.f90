! Integration by parts of an interval, summed with co_sum
!# images 1 4
!> 3.141593
program pi_by_parts
  implicit none
  integer, parameter :: steps = 40000
  real(8) :: part, x
  integer :: i
  part = 0
  do i = this_image(), steps, num_images()
    x = (i - 0.5d0)/steps
    part = part + 4/(1 + x*x)/steps
  end do
  call co_sum(part, result_image=1)
  if (this_image() == 1) print '(f8.6)', part
end program
