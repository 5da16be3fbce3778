! A pipeline: each image passes on what came, with credits from the next one
!# images 2 4
!>* ok {i}
program events_pipeline
  use iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: items = 30
  type(event_type) :: full[*], empty[*]
  integer :: box[*], i, me, n, value
  me = this_image()
  n = num_images()
  if (me < n) event post (empty[me])
  sync all
  do i = 1, items
    value = i
    if (me > 1) then
      event wait (full)
      value = box
      event post (empty[me - 1])
    end if
    if (me < n) then
      event wait (empty)
      box[me + 1] = value + 1
      event post (full[me + 1])
    else if (value /= i + n - 1) then
      error stop 'value'
    end if
  end do
  print '(a,i0)', 'ok ', me
end program
