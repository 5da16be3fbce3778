! Initial values of coarrays are there before another image writes
!# images 1 2 4
!>* ok {i}
module values
  integer :: in_module[*] = 11
  real, save :: array(3)[*] = [1., 2., 3.]
end module
program initial_values
  use values
  implicit none
  character(4) :: text[*] = 'init'
  integer :: o
  o = mod(this_image(), num_images()) + 1
  if (this_image() == 1) in_module[o] = 12
  sync all
  if (in_module /= merge(12, 11, this_image() == mod(1, num_images()) + 1)) error stop 'module'
  if (any(array(:)[o] /= [1, 2, 3])) error stop 'array'
  if (text[o] /= 'init') error stop 'text'
  call counts(1)
  call counts(2)
  print '(a,i0)', 'ok ', this_image()
contains
  subroutine counts(expected)
    integer, intent(in) :: expected
    integer, save :: calls[*] = 0
    calls = calls + 1
    sync all
    if (calls[o] /= expected) error stop 'saved'
    sync all
  end subroutine
end program
