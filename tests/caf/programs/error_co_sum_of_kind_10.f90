! co_sum of real(10), which the compiler does not tell from real(16)
!# images 2
!# status fails
!# error co_sum: reals of 16 bytes are combined as of kind 16
program mistake
  use iso_fortran_env
  implicit none
  real(10), save :: a = 1.5
  integer :: b[*]
  sync all
  if (this_image() == 1) then
    call co_sum(a)
  end if
  sync all
end program
