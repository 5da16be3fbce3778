! Two locks held at once, always taken in one order; `acquired_lock` while another image holds it
!# images 2 4
!>* ok {i}
program locks_two
  use iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: first[*], second[*]
  integer :: a[*], b[*], i, me
  logical :: has
  me = this_image()
  a = 0
  b = 100
  sync all
  do i = 1, 20
    lock (first[1])
    lock (second[1])
    a[1] = a[1] + 1
    b[1] = b[1] - 1
    if (a[1] + b[1] /= 100) error stop 'both'
    unlock (first[1])
    unlock (second[1])
  end do
  sync all
  if (me == 1) then
    lock (first[2])
    sync images (2)
    sync images (2)
    unlock (first[2])
    sync images (2)
  else if (me == 2) then
    sync images (1)
    lock (first[2], acquired_lock=has)
    if (has) error stop 'acquired'
    sync images (1)
    sync images (1)
    lock (first[2], acquired_lock=has)
    if (.not. has) error stop 'not acquired'
    unlock (first[2])
  end if
  print '(a,i0)', 'ok ', me
end program
