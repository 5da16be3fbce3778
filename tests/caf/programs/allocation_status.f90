! `stat=` of coarrays that are allocated already, or are not
!# images 2
!>* ok {i}
program allocation_status
  implicit none
  integer, allocatable :: a(:)[:], b[:]
  integer :: status
  character(60) :: message
  allocate (a(3)[*], stat=status)
  if (status /= 0) error stop 'allocated well'
  message = ''
  allocate (a(4)[*], stat=status, errmsg=message)
  if (status == 0 .or. message == '') error stop 'allocated already'
  if (size(a) /= 3) error stop 'is as it was'
  deallocate (a, stat=status)
  if (status /= 0 .or. allocated(a)) error stop 'deallocated well'
  deallocate (a, stat=status)
  if (status == 0) error stop 'deallocated twice'
  deallocate (b, stat=status)
  if (status == 0 .or. allocated(b)) error stop 'was never allocated'
  allocate (b[*])
  b = this_image()
  sync all
  if (b[num_images()] /= num_images()) error stop 'goes on'
  print '(a,i0)', 'ok ', this_image()
end program
