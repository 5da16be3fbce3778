! A recursive procedure's saved coarray is one; a coarray is handed down and comes back
!# images 2
!>* ok {i}
program recursion
  implicit none
  integer :: o, a(8)[*]
  o = 3 - this_image()
  a = 0
  sync all
  if (depth_of(6, a) /= 6*7/2*o) error stop 'sum'
  sync all
  if (any(a /= [1, 2, 3, 4, 5, 6, 0, 0]*o)) error stop 'written'
  print '(a,i0)', 'ok ', this_image()
contains
  recursive integer function depth_of(n, x) result(s)
    integer, intent(in) :: n
    integer, intent(inout) :: x(:)[*]
    integer, save :: calls[*] = 0
    calls = calls + 1
    sync all
    if (calls[o] /= 7 - n) error stop 'calls'
    x(n)[o] = n*this_image()
    s = n*o
    sync all
    if (n > 1) s = s + depth_of(n - 1, x)
    if (x(n)[o] /= n*this_image()) error stop 'behind the inner call'
  end function
end program
