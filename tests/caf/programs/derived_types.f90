! Coarrays of a derived type without allocatable components
!# images 2 3
!>* ok {i}
program derived_types
  implicit none
  type inner
    integer :: k
    real :: r(3:6, 2:4)
  end type
  type outer
    character(3) :: name
    type(inner) :: in(4)
    complex :: z
  end type
  type(outer) :: a[*], b(5)[*]
  type(outer) :: l, ls(5)
  integer :: o, i, ks(4)
  real :: rs(2, 2)
  o = mod(this_image(), num_images()) + 1
  call fill(a, this_image())
  do i = 1, 5
    call fill(b(i), this_image()*10 + i)
  end do
  sync all
  l = a[o]; if (l%in(3)%k /= o*100 + 3 .or. l%name /= 'abc') error stop 'whole'
  ls = b(:)[o]; if (ls(4)%in(2)%k /= (o*10 + 4)*100 + 2) error stop 'array'
  if (a[o]%in(4)%k /= o*100 + 4) error stop 'component'
  ks = a[o]%in(:)%k; if (any(ks /= o*100 + [1, 2, 3, 4])) error stop 'components of an array'
  rs = b(2)[o]%in(3)%r(4:5, 2:4:2)
  if (any(rs /= reshape([1., 2., 9., 10.] + (o*10 + 2)*100 + 3, [2, 2]))) error stop 'section'
  if (b(3)[o]%in(1)%r(6, 4) /= (o*10 + 3)*100 + 1 + 11) error stop 'element'
  sync all
  a[o]%in(2)%k = -1
  a[o]%name = 'xyz12'
  b(4)[o]%in(2)%r(3, :) = [7, 8, 9]
  b(5)[o] = l
  sync all
  if (a%in(2)%k /= -1 .or. a%in(1)%k /= this_image()*100 + 1 .or. a%name /= 'xyz') error stop 'put'
  if (any(b(4)%in(2)%r(3, :) /= [7, 8, 9])) error stop 'put section'
  print '(a,i0)', 'ok ', this_image()
contains
  subroutine fill(x, base)
    type(outer), intent(out) :: x
    integer, intent(in) :: base
    integer :: i, j
    x%name = 'abc'
    x%z = base
    do i = 1, 4
      x%in(i)%k = base*100 + i
      x%in(i)%r = reshape([(real(base*100 + i + j), j = 0, 11)], [4, 3])
    end do
  end subroutine
end program
