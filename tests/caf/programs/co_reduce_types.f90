! Elements of derived types, strings, logicals and backward sections are combined.
!# images 1 2 4
!>* ok {i}
program co_reduce_types
  implicit none
  type pair
    sequence
    integer :: k
    real(8) :: v(3)
  end type
  type(pair) :: p(4), one
  character(12) :: s(2)
  character(20) :: longest
  integer :: me, n, i, st
  character(60) :: msg
  logical :: l(3)
  integer(8) :: m(2,2)
  me = this_image(); n = num_images()
  do i = 1, 4
    p(i)%k = me*i; p(i)%v = [me, i, me*i]
  end do
  call co_reduce(p, larger)
  do i = 1, 4
    if (p(i)%k /= n*i .or. any(p(i)%v /= [n, i, n*i])) error stop 'pairs'
  end do
  one = pair(me, [1d0, 2d0, 3d0])
  call co_reduce(one, larger, result_image=n, stat=st, errmsg=msg)
  if (st /= 0) error stop 'stat'
  if (me == n .and. one%k /= n) error stop 'one'
  write (s(1), '(a,i0)') 'image', me
  s(2) = repeat(char(64+me), 5)
  call co_max(s)
  if (s(2) /= repeat(char(64+n), 5)) error stop 'max'
  longest = repeat('x', me)
  call co_reduce(longest, longer)
  if (len_trim(longest) /= n) error stop 'longest'
  l = [.true., me == 1, .false.]
  call co_reduce(l, ors)
  if (.not. l(1) .or. .not. l(2) .or. l(3)) error stop 'logical'
  m = me
  call co_reduce(m(:, 2:1:-1), product_of)
  if (any(m /= product([(int(i, 8), i = 1, n)]))) error stop 'product'
  call co_broadcast(p(1:4:3), source_image=n)
  call co_broadcast(s, 1, stat=st)
  print '(a,i0)', 'ok ', me
contains
  pure type(pair) function larger(a, b)
    type(pair), intent(in) :: a, b
    if (a%k > b%k) then
      larger = a
    else
      larger = b
    end if
  end function
  pure function longer(a, b) result(c)
    character(20), intent(in) :: a, b
    character(20) :: c
    c = merge(a, b, len_trim(a) > len_trim(b))
  end function
  pure logical function ors(a, b)
    logical, intent(in) :: a, b
    ors = a .or. b
  end function
  pure integer(8) function product_of(a, b)
    integer(8), intent(in) :: a, b
    product_of = a*b
  end function
end program
