! co_reduce with functions of several types; the order of images is that of their numbers or any
!# images 1 2 5
!>* ok {i}
module functions
  implicit none
  type state
    integer :: least = 0, most = 0, count = 0
    real(8) :: sum = 0
  end type
contains
  pure integer function product_of(a, b)
    integer, intent(in) :: a, b
    product_of = a*b
  end function
  pure logical function both(a, b)
    logical, intent(in) :: a, b
    both = a .and. b
  end function
  pure real(8) function larger(a, b)
    real(8), intent(in) :: a, b
    larger = merge(a, b, abs(a) > abs(b))
  end function
  pure type(state) function joined(a, b)
    type(state), intent(in) :: a, b
    joined = state(min(a%least, b%least), max(a%most, b%most), a%count + b%count, a%sum + b%sum)
  end function
  pure integer function by_bits(a, b)
    integer, intent(in) :: a, b
    by_bits = ieor(a, b)
  end function
end module
program co_reduce_functions
  use functions
  implicit none
  integer :: i, k(4), n, me, bits
  logical :: l(2)
  real(8) :: r
  type(state) :: s
  me = this_image()
  n = num_images()
  k = [1, me, 2, -1]
  l = [.true., me /= n]
  r = (-1)**me*me
  s = state(me, me, 1, me/2d0)
  bits = 2**me
  call co_reduce(k, product_of)
  call co_reduce(l, both)
  call co_reduce(r, larger)
  call co_reduce(s, joined)
  call co_reduce(bits, by_bits, result_image=1)
  if (any(k /= [1, product([(i, i = 1, n)]), 2**n, (-1)**n])) error stop 'products'
  if (.not. l(1) .or. l(2)) error stop 'logicals'
  if (r /= (-1)**n*n) error stop 'reals'
  if (s%least /= 1 .or. s%most /= n .or. s%count /= n .or. s%sum /= n*(n + 1)/4d0) error stop 'objects'
  if (me == 1 .and. bits /= 2**(n + 1) - 2) error stop 'bits'
  print '(a,i0)', 'ok ', me
end program
