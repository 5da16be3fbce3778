! Collectives of LLVM Flang 22, of numbers, characters, a derived type and sections.
!# images 1 2 4
!>* ok {i}
program collectives
  implicit none
  type pair
    integer :: count
    real(8) :: values(3)
  end type
  type(pair) :: one
  integer :: me, n, number, status
  integer(8) :: long
  real(8) :: grid(4, 4)
  real :: x(3)
  complex(8) :: z
  character(4) :: name
  character(40) :: message
  me = this_image()
  n = num_images()
  number = me
  call co_sum(number)
  if (number /= n*(n + 1)/2) error stop 'co_sum'
  long = me
  call co_max(long)
  if (long /= n) error stop 'co_max'
  x = [me, -me, 0]
  call co_min(x, result_image=1)
  if (me == 1 .and. any(x /= [1, -n, 0])) error stop 'co_min'
  grid = me
  call co_sum(grid(1:4:3, 2:4:2))
  if (grid(4, 4) /= n*(n + 1)/2 .or. grid(2, 2) /= me .or. grid(4, 3) /= me) error stop 'sections'
  z = (1d0, 2d0)
  call co_sum(z)
  if (z /= n*(1d0, 2d0)) error stop 'complex numbers'
  name = 'abcd'
  if (me == n) name = 'zz'
  call co_max(name)
  if (name /= 'zz') error stop 'characters'
  call co_min(name)
  one%count = me
  one%values = me*[1, 2, 3]
  call co_broadcast(one, n)
  if (one%count /= n .or. one%values(3) /= 3*n) error stop 'co_broadcast'
  call co_sum(number, result_image=n + 1, stat=status, errmsg=message)
  if (status == 0 .or. index(message, 'none of the') == 0) error stop 'no result image'
  print '(a,i0)', 'ok ', me
end program
