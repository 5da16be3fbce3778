! Events with until_count, locks, critical in teams and atomics, with stat= and errmsg=.
!# images 1 2 4
!>* ok {i}
module w
  use iso_fortran_env
  implicit none
  type(event_type), save :: ready[*], slots(4)[*]
  type(lock_type), save :: l[*]
  integer, save :: total[*] = 0
  integer(atomic_int_kind), save :: at[*] = 0
end module
program statements_with_stat
  use w
  implicit none
  type(team_type) :: t
  integer :: me, n, i, c, st, old
  character(80) :: msg
  logical :: got
  me = this_image(); n = num_images()
  msg = 'unchanged'
  do i = 1, n
    event post (ready[i], stat=st, errmsg=msg)
    if (st /= 0) error stop 'post'
  end do
  event wait (ready, until_count=n, stat=st)
  if (st /= 0) error stop 'wait'
  call event_query(ready, c, st)
  if (c /= 0) error stop 'query'
  event post (slots(1 + mod(me, 4))[1 + mod(me, n)])
  i = 1 + mod(mod(me + n - 2, n) + 1, 4)
  event wait (slots(i))
  form team (1 + mod(me, 2), t)
  change team (t)
    do i = 1, 20
      critical
        total[1] = total[1] + 1
      end critical
    end do
    sync team (t)
    if (total[1] /= 20*num_images()) error stop 'critical in team'
    lock (l[1], stat=st, errmsg=msg)
    if (st /= 0) error stop 'lock'
    unlock (l[1], stat=st)
    if (st /= 0) error stop 'unlock'
    do
      lock (l[num_images()], acquired_lock=got)
      if (got) exit
    end do
    unlock (l[num_images()])
  end team
  sync all (stat=st, errmsg=msg)
  call atomic_add(at[1], me, st)
  call atomic_fetch_xor(at[n], 0, old, st)
  sync images (*, stat=st, errmsg=msg)
  if (st /= 0) error stop 'images'
  if (me == 1 .and. at /= n*(n+1)/2) error stop 'atomic'
  sync memory (stat=st)
  if (msg /= 'unchanged') error stop 'message'
  print '(a,i0)', 'ok ', me
end program
