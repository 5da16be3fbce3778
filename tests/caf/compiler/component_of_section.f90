! A component of each element of a section: its place in the type is lost
!# wrong the compiler passes the address of the first element
program wrong
  use iso_fortran_env
  implicit none
  type t
    integer :: before
    integer :: here
  end type
  type(t) :: a(3)[*]
  integer :: got(3)
  a%before = 1
  a%here = 2
  sync all
  got = a(:)[1]%here
  if (any(got /= 2)) error stop 'other component'
end program
