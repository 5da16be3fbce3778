! A write and a read of a scalar of another image, many times. run.sh compiles it once, and has another copy of the object call
! functions that do nothing: the same calls to an empty entry.
subroutine put_scalars(word, image, count)
  use iso_fortran_env, only: real64
  implicit none
  real(real64), intent(inout) :: word[*]
  integer, intent(in) :: image, count
  real(real64) :: value
  integer :: i
  value = 1
  do i = 1, count
    word[image] = value
  end do
end subroutine

subroutine get_scalars(word, image, count, sum)
  use iso_fortran_env, only: real64
  implicit none
  real(real64), intent(inout) :: word[*]
  integer, intent(in) :: image, count
  real(real64), intent(inout) :: sum
  integer :: i
  do i = 1, count
    sum = sum + word[image]
  end do
end subroutine
