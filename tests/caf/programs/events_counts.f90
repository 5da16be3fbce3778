! Events: until_count, queries, arrays of events
!# images 2 4
!>* ok {i}
program events_counts
  use iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: e(3)[*]
  type(event_type), allocatable :: made(:)[:]
  integer :: me, n, i, count, status
  me = this_image()
  n = num_images()
  allocate (made(2)[*])
  do i = 1, n
    event post (e(2)[i])
    event post (made(1)[i], stat=status)
    if (status /= 0) error stop 'stat of post'
  end do
  event wait (e(2), until_count=n, stat=status)
  if (status /= 0) error stop 'stat of wait'
  call event_query(e(2), count)
  if (count /= 0) error stop 'all counted'
  event wait (made(1), until_count=n)
  call event_query(e(1), count, stat=status)
  if (count /= 0 .or. status /= 0) error stop 'never posted'
  sync all
  do i = 1, 5
    event post (e(3)[me])
  end do
  event wait (e(3), until_count=2)
  event wait (e(3))
  call event_query(e(3), count)
  if (count /= 2) error stop 'left'
  deallocate (made)
  print '(a,i0)', 'ok ', me
end program
