! Arrays and sections without elements, characters without length
!# images 2
!>* ok {i}
program zero_sized
  implicit none
  integer :: a(10)[*], none(0)[*], b(10), o, l
  character(0) :: c[*]
  integer, allocatable :: z(:)[:]
  a = this_image(); b = -1
  allocate (z(0)[*])
  o = mod(this_image(), num_images()) + 1
  sync all
  l = 0
  b(1:l) = a(1:l)[o]
  a(5:4)[o] = b(1:0)
  none(:)[o] = b(1:0)
  z(:)[o] = b(1:0)
  c[o] = 'x'
  if (any(b /= -1)) error stop 'something came'
  sync all
  if (any(a /= this_image())) error stop 'something went'
  print '(a,i0)', 'ok ', this_image()
end program
