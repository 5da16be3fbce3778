! co_reduce with functions of all kinds of arguments
!# images 1 2 3 4
!>* ok {i}
module functions
  implicit none
  type matrix
    real(8) :: a(2, 2)
  end type
contains
  pure function product_of(a, b) result(c)
    integer, intent(in) :: a, b
    integer :: c
    c = a*b
  end function
  pure function product_of_values(a, b) result(c)
    integer, value :: a, b
    integer :: c
    c = a*b
  end function
  pure function larger(a, b) result(c)
    real(8), intent(in) :: a, b
    real(8) :: c
    c = max(a, b)
  end function
  pure function times(a, b) result(c)
    complex, intent(in) :: a, b
    complex :: c
    c = a*b
  end function
  pure function times_8(a, b) result(c)
    complex(8), intent(in) :: a, b
    complex(8) :: c
    c = a*b
  end function
  pure function both(a, b) result(c)
    logical, intent(in) :: a, b
    logical :: c
    c = a .and. b
  end function
  pure function later(a, b) result(c)
    character(6), intent(in) :: a, b
    character(6) :: c
    c = merge(a, b, a > b)
  end function
  pure function matrix_product(a, b) result(c)
    type(matrix), intent(in) :: a, b
    type(matrix) :: c
    c%a = matmul(a%a, b%a)
  end function
  pure function small(a, b) result(c)
    integer(1), intent(in) :: a, b
    integer(1) :: c
    c = ior(a, b)
  end function
end module
program reductions
  use functions
  implicit none
  integer :: i, a(3), n, me, f
  integer(1) :: b
  real(8) :: r(4)
  complex :: z
  complex(8) :: y
  logical :: l
  character(6) :: c
  type(matrix) :: m
  n = num_images(); me = this_image()
  f = product([(i, i = 1, n)])
  i = me; call co_reduce(i, product_of); if (i /= f) error stop 'integer'
  i = me; call co_reduce(i, product_of_values); if (i /= f) error stop 'values'
  a = [me, 2, 1]; call co_reduce(a, product_of); if (any(a /= [f, 2**n, 1])) error stop 'array'
  r = [1, -1, 2, -2]*me; call co_reduce(r, larger, result_image=n)
  if (me == n .and. any(r /= [n, -1, 2*n, -2])) error stop 'real, result_image'
  z = (0, 1); call co_reduce(z, times); if (z /= (0, 1)**n) error stop 'complex'
  y = (0, 1); call co_reduce(y, times_8); if (y /= (0, 1)**n) error stop 'complex(8)'
  l = me /= 2; call co_reduce(l, both); if (l .neqv. n < 2) error stop 'logical'
  b = int(ishft(1, me), 1); call co_reduce(b, small); if (b /= ishft(1, n + 1) - 2) error stop 'integer(1)'
  c = 'name' // char(96 + me); call co_reduce(c, later); if (c /= 'name' // char(96 + n)) error stop 'character'
  m%a = reshape([1, 0, me, 1], [2, 2])
  call co_reduce(m, matrix_product)
  if (any(m%a /= reshape([1, 0, n*(n + 1)/2, 1], [2, 2]))) error stop 'derived type'
  print '(a,i0)', 'ok ', me
end program
