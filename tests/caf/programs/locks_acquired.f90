! acquired_lock=, and the states that stat= tells
!# images 2
!>* ok {i}
program acquired
  use iso_fortran_env, only: lock_type, stat_locked, stat_locked_other_image, stat_unlocked
  implicit none
  type(lock_type) :: l[*]
  integer :: status
  logical :: is_mine
  if (this_image() == 1) then
    lock (l[1], acquired_lock=is_mine)
    if (.not. is_mine) error stop 'free'
    lock (l[1], stat=status)
    if (status /= stat_locked) error stop 'stat_locked'
  end if
  sync all
  if (this_image() == 2) then
    lock (l[1], acquired_lock=is_mine)
    if (is_mine) error stop 'not free'
    unlock (l[1], stat=status)
    if (status /= stat_locked_other_image) error stop 'stat_locked_other_image'
  end if
  sync all
  if (this_image() == 1) then
    unlock (l[1])
    unlock (l[1], stat=status)
    if (status /= stat_unlocked) error stop 'stat_unlocked'
  end if
  sync all
  if (this_image() == 2) then
    lock (l[1], acquired_lock=is_mine)
    if (.not. is_mine) error stop 'free again'
    unlock (l[1])
  end if
  print '(a,i0)', 'ok ', this_image()
end program
