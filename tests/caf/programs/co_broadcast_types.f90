! co_broadcast of strings, logicals, derived types, sections and allocatable arrays, from each image
!# images 1 3
!>* ok {i}
program co_broadcast_types
  implicit none
  type pair
    integer :: first = 0
    real(8) :: second = 0
    character(3) :: third = ''
  end type
  type(pair) :: p, q(2)
  character(6) :: c(2)
  logical :: l(3)
  integer :: s(6), i, me
  real(8), allocatable :: a(:, :)
  me = this_image()
  allocate (a(2, 3))
  do i = 1, num_images()
    p = pair(me, me/2d0, 'p'//achar(48 + me))
    q = [pair(2*me), pair(3*me)]
    c = ['im'//achar(48 + me)//'   ', 'second']
    l = [me == i, .not. me == i, .true.]
    s = me
    a = me
    call co_broadcast(p, source_image=i)
    call co_broadcast(q, i)
    call co_broadcast(c, i)
    call co_broadcast(l, i)
    call co_broadcast(s(1:5:2), i)
    call co_broadcast(a, i)
    if (p%first /= i .or. p%second /= i/2d0 .or. p%third /= 'p'//achar(48 + i)) error stop 'derived type'
    if (q(2)%first /= 3*i .or. c(1) /= 'im'//achar(48 + i)) error stop 'arrays'
    if (.not. l(1) .or. l(2) .or. any(s(1:5:2) /= i) .or. any(s(2:6:2) /= me) .or. any(a /= i)) error stop 'others'
  end do
  print '(a,i0)', 'ok ', me
end program
