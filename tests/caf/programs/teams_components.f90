! An allocatable scalar of a type whose components have components, allocated in a team.
!# images 1 2 4
!>* ok {i}
program teams_components
  use iso_fortran_env
  implicit none
  type inner
    integer, allocatable :: v(:)
    character(:), allocatable :: s
  end type
  type outer
    type(inner), allocatable :: in(:)
    real, pointer :: p(:) => null()
    integer :: id = 0
  end type
  type(outer), allocatable :: o[:]
  type(team_type) :: t
  integer, allocatable :: got(:)
  integer :: me, i, tn
  me = this_image()
  tn = 1 + mod(me, 2)
  form team (tn, t)
  change team (t)
    allocate (o[*])
    allocate (o%in(2))
    do i = 1, 2
      allocate (o%in(i)%v(3*i))
      o%in(i)%v = 100*tn + 10*this_image() + i
    end do
    allocate (o%p(4)); o%p = this_image()
    o%id = tn
    sync all
    associate (other => mod(this_image(), num_images()) + 1)
      got = o[other]%in(2)%v
      if (size(got) /= 6) error stop 'size'
      if (any(got /= 100*tn + 10*other + 2)) error stop 'v'
      got = o[other]%in(1)%v(1:3:2)
      if (any(got /= 100*tn + 10*other + 1)) error stop 'v1'
      if (o[other]%p(3) /= other) error stop 'p'
      if (o[other]%id /= tn) error stop 'id'
      sync all
      o[other]%in(1)%v(2) = -tn
      o[other]%p(2:4:2) = [8., 9.]
    end associate
    sync all
    if (o%in(1)%v(2) /= -tn .or. o%p(4) /= 9) error stop 'put'
    sync all
  end team
  if (allocated(o)) error stop 'allocated'
  sync all
  print '(a,i0)', 'ok ', me
end program
