! Allocatable components from one image to another by a third one
!# images 1 3
!>* ok {i}
program components_sent
  implicit none
  type t
    integer, allocatable :: a(:)
    real, allocatable :: r(:)
  end type
  type(t) :: x[*]
  integer :: me, n
  me = this_image(); n = num_images()
  allocate (x%a(5), x%r(5))
  x%a = me; x%r = 0
  sync all
  if (me == 1) then
    x[n]%a(1:2) = x[mod(1, n) + 1]%a(4:5)
    x[n]%r(:) = x[1]%a(:)
  end if
  sync all
  if (me == n .and. (any(x%a(1:2) /= mod(1, n) + 1) .or. any(x%r /= 1))) error stop 'sent'
  print '(a,i0)', 'ok ', me
end program
