! `source=`, `mold=`, several objects in one statement, and characters of deferred length
!# images 2
!>* ok {i}
program allocation_sources
  implicit none
  integer, allocatable :: a(:)[:], b[:], c(:, :)[:]
  real, allocatable :: d(:)[:]
  integer :: me, o, first(3)
  me = this_image()
  o = 3 - me
  first = [1, 2, 3]*me
  allocate (a(3)[*], source=first)
  allocate (b[*], source=7*me)
  allocate (c(2, 2)[*], d(0:4)[*])
  c = me
  d = me/2.
  sync all
  if (any(a(:)[o] /= [1, 2, 3]*o) .or. b[o] /= 7*o) error stop 'sources'
  if (any(c(:, 2)[o] /= o) .or. d(4)[o] /= o/2. .or. lbound(d, 1) /= 0) error stop 'without'
  sync all
  deallocate (a, b)
  allocate (a(3:5)[*], mold=first)
  a = me
  sync all
  if (a(5)[o] /= o) error stop 'mold'
  sync all
  deallocate (a, c, d)
  print '(a,i0)', 'ok ', me
end program
