! Extended types, nested ones and arrays of them; components of fixed shape
!# images 2
!>* ok {i}
program types_extended
  implicit none
  type point
    real :: x = 0, y = 0
  end type
  type, extends(point) :: particle
    integer :: id = -1
    character(4) :: tag = 'none'
    type(point) :: before(2)
  end type
  type(particle), save :: p[*], q(3)[*]
  type(particle) :: r
  integer :: me, o, i
  me = this_image()
  o = 3 - me
  if (p%id /= -1 .or. q(3)%tag /= 'none') error stop 'initial values'
  p%x = me
  p%y = 2*me
  p%id = 10*me
  p%tag = 'im'//achar(48 + me)
  p%before(2)%y = 3*me
  do i = 1, 3
    q(i) = p
    q(i)%id = i*me
  end do
  sync all
  if (p[o]%x /= o .or. p[o]%point%y /= 2*o .or. p[o]%id /= 10*o) error stop 'components'
  if (p[o]%tag /= 'im'//achar(48 + o) .or. p[o]%before(2)%y /= 3*o) error stop 'nested'
  r = p[o]
  if (r%id /= 10*o .or. r%before(2)%y /= 3*o .or. r%tag(3:3) /= achar(48 + o)) error stop 'whole'
  if (q(2)[o]%id /= 2*o .or. q(3)[o]%x /= o) error stop 'elements'
  r = q(3)[o]
  if (r%id /= 3*o) error stop 'whole element'
  sync all
  p[o]%id = -me
  q(1)[o]%before(1) = point(me, -me)
  q(2)[o] = r
  sync all
  if (p%id /= -o .or. q(1)%before(1)%y /= -o .or. q(2)%id /= 3*me) error stop 'written'
  print '(a,i0)', 'ok ', me
end program
