! Another image's values as actual arguments
!# images 2
!>* ok {i}
program arguments
  implicit none
  integer :: a(5)[*], k[*], me, o, i
  character(4) :: c[*]
  me = this_image()
  o = 3 - me
  a = [(10*me + i, i = 1, 5)]
  k = me
  c = 'im_'//achar(48 + me)
  sync all
  if (twice(k[o]) /= 2*o) error stop 'scalar'
  if (total(a(:)[o]) /= 50*o + 15 .or. total(a(::2)[o]) /= 30*o + 9) error stop 'assumed shape'
  if (total_of(3, a(2:4)[o]) /= 30*o + 9) error stop 'explicit shape'
  if (length(c[o]) /= 4 .or. last(c[o]) /= achar(48 + o)) error stop 'character'
  if (twice((k[o])) /= 2*o .or. twice(k[o] + 1) /= 2*o + 2) error stop 'expressions'
  print '(a,i0)', 'ok ', me
contains
  integer function twice(x)
    integer, intent(in) :: x
    twice = 2*x
  end function
  integer function total(x)
    integer, intent(in) :: x(:)
    total = sum(x)
  end function
  integer function total_of(n, x)
    integer, intent(in) :: n, x(n)
    total_of = sum(x)
  end function
  integer function length(x)
    character(*), intent(in) :: x
    length = len(x)
  end function
  character function last(x)
    character(*), intent(in) :: x
    last = x(len(x):len(x))
  end function
end program
