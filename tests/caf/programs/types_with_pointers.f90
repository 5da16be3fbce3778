! Pointer components: each image's own targets, and association of what another image has read
!# images 2 3
!>* ok {i}
program types_with_pointers
  implicit none
  type holder
    integer, pointer :: values(:) => null()
    integer, pointer :: one => null()
    integer :: count = 0
  end type
  type(holder) :: h[*]
  integer :: me, o, i
  me = this_image()
  o = mod(me, num_images()) + 1
  allocate (h%values(2*me), h%one)
  h%values = [(me*10 + i, i = 1, 2*me)]
  h%one = -me
  h%count = 2*me
  sync all
  if (h[o]%count /= 2*o) error stop 'count'
  if (h[o]%values(2*o) /= o*10 + 2*o .or. h[o]%one /= -o) error stop 'values'
  if (any(h[o]%values(1:2) /= o*10 + [1, 2])) error stop 'section'
  sync all
  h[o]%values(1) = me
  h[o]%one = 3*me
  sync all
  i = merge(num_images(), me - 1, me == 1)
  if (h%values(1) /= i .or. h%one /= 3*i) error stop 'written'
  sync all
  deallocate (h%values, h%one)
  print '(a,i0)', 'ok ', me
end program
