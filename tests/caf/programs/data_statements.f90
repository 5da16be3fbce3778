! Initial values by data statements, constructors and parameters
!# images 2
!>* ok {i}
program data_statements
  implicit none
  integer, parameter :: table(3) = [3, 1, 2]
  integer, save :: a(4)[*], b(2, 2)[*], c[*] = 9
  real(8), save :: d(3)[*] = [1d0, 2d0, 3d0]
  character(4), save :: e(2)[*] = ['ab  ', 'cd  ']
  integer :: o
  data a /1, 7, 7, 3/
  data b(:, 1) /5, 6/, b(:, 2) /0, 0/
  o = 3 - this_image()
  if (any(a(:)[o] /= [1, 7, 7, 3]) .or. any(b(:, :)[o] /= reshape([5, 6, 0, 0], [2, 2]))) error stop 'data'
  if (c[o] /= 9 .or. any(d(:)[o] /= [1, 2, 3]) .or. any(e(:)[o] /= ['ab', 'cd'])) error stop 'initial values'
  sync all
  a(table(1))[o] = table(2)
  sync all
  if (a(3) /= 1) error stop 'written'
  print '(a,i0)', 'ok ', this_image()
end program
