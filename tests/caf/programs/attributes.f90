! The ways to declare a coarray (Fortran 2018, 8.5.6, 8.6.5)
!# images 3
!>* ok {i}
module declared
  implicit none
  integer, codimension[*], save :: one
  real, dimension(4), codimension[*], save :: two
  integer :: three(2), four
  codimension :: three[*], four[2, *]
  save :: three, four
  character(5), save :: five(2)[*]
end module
program attributes
  use declared
  implicit none
  integer, allocatable, dimension(:), codimension[:] :: six
  integer :: me, o
  me = this_image()
  o = mod(me, 3) + 1
  allocate (six(2)[*])
  one = me
  two = 2*me
  three = 3*me
  four = 4*me
  five = 'im'//achar(48 + me)
  six = 6*me
  sync all
  if (one[o] /= o .or. any(two(:)[o] /= 2*o) .or. any(three(:)[o] /= 3*o)) error stop 'one to three'
  if (four[1 + mod(o - 1, 2), 1 + (o - 1)/2] /= 4*o) error stop 'four'
  if (five(2)[o] /= 'im'//achar(48 + o) .or. six(2)[o] /= 6*o) error stop 'five and six'
  print '(a,i0)', 'ok ', me
end program
