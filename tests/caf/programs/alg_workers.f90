! Tasks taken from a counter; results put where they belong
!# images 2 4
!>* ok {i}
program workers
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer, parameter :: tasks = 60
  integer(atomic_int_kind) :: next[*], mine
  integer :: results(tasks)[*], i
  next = 1
  results = 0
  sync all
  do
    call atomic_fetch_add(next[1], 1, mine)
    if (mine > tasks) exit
    results(mine)[1] = work(mine)
  end do
  sync all
  if (any(results(:)[1] /= [(work(i), i = 1, tasks)])) error stop 'results'
  print '(a,i0)', 'ok ', this_image()
contains
  pure integer function work(n)
    integer, intent(in) :: n
    integer :: k
    k = n
    work = 0
    do while (k /= 1)
      k = merge(k/2, 3*k + 1, mod(k, 2) == 0)
      work = work + 1
    end do
  end function
end program
