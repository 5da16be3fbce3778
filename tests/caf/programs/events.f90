! Events: post, wait, until_count=, event_query, arrays
!# images 2 4
!>* ok {i}
program event_driven
  use iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: e[*], several(3)[*]
  type(event_type), allocatable :: more[:]
  integer :: data[*], i, n, me, count, status
  me = this_image(); n = num_images()
  allocate (more[*])
  data = 0
  sync all
  if (me == 1) then
    event wait (e, until_count=3*(n - 1))
    call event_query(e, count)
    if (count /= 0) error stop 'count behind'
  else
    do i = 1, 3
      event post (e[1])
    end do
  end if
  ! A baton round all images
  if (me > 1) event wait (more)
  if (me < n) then
    data[me + 1] = data + 1
    event post (more[me + 1])
  end if
  if (me == n .and. data /= n - 1) error stop 'baton'
  event post (several(2)[me], stat=status)
  if (status /= 0) error stop 'stat'
  event post (several(2)[me])
  call event_query(several(2), count)
  if (count /= 2) error stop 'query'
  call event_query(several(1), count)
  if (count /= 0) error stop 'other element'
  event wait (several(2), until_count=2, stat=status)
  call event_query(several(2), count, status)
  if (count /= 0 .or. status /= 0) error stop 'waited'
  print '(a,i0)', 'ok ', me
end program
