! Each atomic procedure, with and without the old value (Fortran 2018, 16.9.20 to 16.9.30)
!# images 3
!>* ok {i}
program atomic_operations
  use iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  integer(atomic_int_kind) :: a[*], b(4)[*], old, value
  logical(atomic_logical_kind) :: l[*], seen
  integer :: me, status
  me = this_image()
  call atomic_define(a, 0)
  call atomic_define(l, .false._atomic_logical_kind)
  b = 0
  sync all
  call atomic_add(a[1], me)
  call atomic_or(b(1)[2], 2**me)
  call atomic_xor(b(2)[2], 2**me + 1)
  sync all
  call atomic_ref(value, a[1])
  if (value /= 6) error stop 'add'
  call atomic_ref(value, b(1)[2], stat=status)
  if (value /= 14 .or. status /= 0) error stop 'or'
  call atomic_ref(value, b(2)[2])
  if (value /= 15) error stop 'xor'
  sync all
  call atomic_and(b(1)[2], not(2**me))
  call atomic_fetch_add(a[3], 1, old)
  sync all
  call atomic_ref(value, b(1)[2])
  if (value /= 0 .or. old < 0 .or. old > 2) error stop 'and, fetch_add'
  if (me == 1) then
    call atomic_fetch_or(b(3)[3], 12, old)
    if (old /= 0) error stop 'fetch_or'
    call atomic_fetch_and(b(3)[3], 6, old)
    if (old /= 12) error stop 'fetch_and'
    call atomic_fetch_xor(b(3)[3], 5, old)
    if (old /= 4) error stop 'fetch_xor'
    call atomic_cas(b(3)[3], old, 99, 7)
    if (old /= 1) error stop 'cas that fails'
    call atomic_cas(b(3)[3], old, 1, 7)
    call atomic_ref(value, b(3)[3])
    if (old /= 1 .or. value /= 7) error stop 'cas'
    call atomic_define(l[2], .true._atomic_logical_kind)
  end if
  sync all
  call atomic_ref(seen, l[2])
  if (.not. seen) error stop 'logical'
  print '(a,i0)', 'ok ', me
end program
