! sync memory beside atomics: a flag behind data
!# images 2
!>* ok {i}
program memory_order
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: flag[*]
  integer :: data(100)[*], seen, i, status
  data = 0
  call atomic_define(flag, 0)
  sync all
  if (this_image() == 1) then
    data(:)[2] = [(i, i = 1, 100)]
    sync memory (stat=status)
    if (status /= 0) error stop 'stat'
    call atomic_define(flag[2], 1)
  else
    seen = 0
    do while (seen == 0)
      call atomic_ref(seen, flag)
    end do
    sync memory
    if (sum(data) /= 5050) error stop 'data'
  end if
  print '(a,i0)', 'ok ', this_image()
end program
