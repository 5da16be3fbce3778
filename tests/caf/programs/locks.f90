! Locks: at one image, at each, in arrays, allocatable
!# images 1 2 4
!>* ok {i}
program locking
  use iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: one[*], several(3)[*]
  type(lock_type), allocatable :: more(:)[:]
  integer :: count[*], i, k, n, status
  n = num_images()
  count = 0
  allocate (more(2)[*])
  sync all
  do i = 1, 50
    lock (one[1])
    count[1] = count[1] + 1
    unlock (one[1])
  end do
  sync all
  if (this_image() == 1 .and. count /= 50*n) error stop 'lost'
  sync all
  ! Two locks of one variable at the same time
  if (n > 1) then
    do i = 1, 20
      lock (several(2)[1])
      lock (several(2)[n])
      count[n] = count[n] + 1
      unlock (several(2)[1])
      unlock (several(2)[n])
    end do
  end if
  sync all
  if (this_image() == n .and. n > 1 .and. count /= 20*n) error stop 'lost by two'
  k = mod(this_image(), n) + 1
  lock (more(2)[k], stat=status)
  if (status /= 0) error stop 'stat'
  lock (more(1)[k])
  unlock (more(2)[k])
  unlock (more(1)[k], stat=status)
  if (status /= 0) error stop 'stat of unlock'
  print '(a,i0)', 'ok ', this_image()
end program
