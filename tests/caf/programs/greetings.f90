! Greetings to the first image, which prints each when its event has come
!# images 1 2 5
!>* hello from {i} of {n}
program greetings
  use iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: images_max = 32
  character(40), save :: greeting(images_max)[*]
  character(40) :: mine
  type(event_type), save :: is_there(images_max)[*], is_read[*]
  integer :: k, count, left
  logical :: is_done(images_max)
  write (mine, '(a,i0,a,i0)') 'hello from ', this_image(), ' of ', num_images()
  greeting(this_image())[1] = mine
  event post (is_there(this_image())[1])
  if (this_image() == 1) then
    is_done = .false.
    left = num_images()
    do while (left > 0)
      do k = 1, num_images()
        if (is_done(k)) cycle
        call event_query(is_there(k), count)
        if (count == 0) cycle
        event wait (is_there(k))
        print '(a)', trim(greeting(k))
        is_done(k) = .true.
        left = left - 1
        event post (is_read[k])
      end do
    end do
  end if
  event wait (is_read)
end program
