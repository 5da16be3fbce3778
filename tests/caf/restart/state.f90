! All that an image has, before and behind a checkpoint: coarrays, components, module variables, a team, an event, a
! lock, and what it has begun. `checkpointed` returns not 0 where the job has come back from disk.
module kept
  use iso_fortran_env, only: event_type, lock_type, team_type
  implicit none
  type part
    integer, allocatable :: numbers(:)
    integer :: of = 0
  end type
  integer :: of_module = 0
  integer :: everywhere(50)[*]
  type(event_type) :: posted[*]
  type(lock_type) :: door[*]
  type(team_type) :: half
  interface
    integer(c_int) function checkpointed() bind(c)
      use iso_c_binding, only: c_int
    end function
  end interface
end module

program state
  use kept
  implicit none
  integer, save :: saved_count = 0
  integer, allocatable :: row(:)[:]
  type(part), allocatable :: parts(:)[:]
  integer :: me, o, n, i, count, total
  character(20) :: text
  me = this_image()
  n = num_images()
  o = mod(me, n) + 1
  of_module = 7*me
  saved_count = 11*me
  everywhere = [(100*me + i, i = 1, 50)]
  allocate (row(0:999)[*], parts(3)[*])
  row = me
  do i = 1, 3
    parts(i)%of = me*i
    allocate (parts(i)%numbers(i))
    parts(i)%numbers = -me*i
  end do
  write (text, '(a,i0)') 'image ', me
  form team (1 + mod(me, 2), half)
  event post(posted[o])
  if (me == 1) lock (door[n])
  sync all
  if (checkpointed() == 0) then
    sync all
    if (me == 1) error stop 'stopped behind its checkpoint'
    sync all
  end if
  if (of_module /= 7*me .or. saved_count /= 11*me) error stop 'variables'
  if (this_image() /= me .or. num_images() /= n .or. text /= 'image '//achar(48 + me)) error stop 'image'
  if (any(everywhere(:)[o] /= [(100*o + i, i = 1, 50)])) error stop 'static coarray'
  if (any(row(::7)[o] /= o) .or. lbound(row, 1) /= 0) error stop 'allocatable coarray'
  do i = 1, 3
    if (parts(i)[o]%of /= o*i .or. parts(i)[o]%numbers(i) /= -o*i) error stop 'components'
  end do
  call event_query(posted, count)
  if (count /= 1) error stop 'event'
  event wait (posted)
  sync all
  if (me == 1) unlock (door[n])
  lock (door[n])
  total = everywhere(50)[n]
  everywhere(50)[n] = total + 1
  unlock (door[n])
  sync all
  if (everywhere(50)[n] /= 100*n + 50 + n) error stop 'lock'
  change team (half)
    total = this_image()
    call co_sum(total)
    if (total /= num_images()*(num_images() + 1)/2) error stop 'team'
  end team
  row(5)[o] = me
  sync all
  total = row(5)
  call co_sum(total)
  if (total /= n*(n + 1)/2) error stop 'sum'
  deallocate (row, parts)
  sync all
  print '(a,i0)', 'ok ', me
end program
