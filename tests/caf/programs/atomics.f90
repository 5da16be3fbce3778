! All atomic subroutines, at one image and at others
!# images 1 2 4
!>* ok {i}
program atomic_operations
  use iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  integer(atomic_int_kind) :: a[*], b(3)[*], old, mine
  logical(atomic_logical_kind) :: l[*], was
  integer :: i, n, me, status
  n = num_images(); me = this_image()
  call atomic_define(a, 0)
  call atomic_define(b(2), -1)
  call atomic_define(l, .false._atomic_logical_kind)
  sync all
  do i = 1, 100
    call atomic_add(a[1], 2)
  end do
  sync all
  call atomic_ref(mine, a[1], status)
  if (mine /= 200*n .or. status /= 0) error stop 'add'
  sync all
  call atomic_fetch_add(a[n], 1, old)
  if (mod(old, 2) == 1 .and. n == 1) error stop 'fetch_add'
  sync all
  call atomic_define(a, 0)
  sync all
  call atomic_or(a[1], ishft(1, me))
  sync all
  call atomic_ref(mine, a[1])
  if (mine /= ishft(1, n + 1) - 2) error stop 'or'
  sync all
  call atomic_and(a[1], not(ishft(1, me)))
  sync all
  call atomic_ref(mine, a[1])
  if (mine /= 0) error stop 'and'
  sync all
  call atomic_xor(a[1], ishft(1, me))
  call atomic_fetch_xor(a[1], ishft(1, me), old)
  if (iand(old, ishft(1, me)) == 0) error stop 'fetch_xor'
  call atomic_fetch_or(b(2)[me], 5, old)
  if (old /= -1) error stop 'fetch_or'
  call atomic_fetch_and(b(2)[me], 6, old)
  if (old /= -1) error stop 'fetch_and'
  call atomic_cas(b(2)[me], old, 6, 7)
  if (old /= 6) error stop 'cas'
  call atomic_cas(b(2)[me], old, 6, 8)
  if (old /= 7) error stop 'cas, other value'
  call atomic_define(l[me], .true._atomic_logical_kind)
  call atomic_ref(was, l)
  if (.not. was) error stop 'logical'
  sync all
  print '(a,i0)', 'ok ', me
end program
