! A Fortran program written for Global Arrays: two dimensions, accumulate, a product, a counter.
program arrays
  use mpi
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: n = 40
  integer :: g_a, g_b, g_c, g_counter, me, nproc, i, j, row, drawn, last, wrong
  integer(4) :: error
  logical :: ok
  integer :: at(2)
  character(len=10) :: operations = 'maxmin+max'
  double precision :: chosen
  double precision :: a(n, n), b(n, n), c(n, n), line(1, n), scale

  call mpi_init(error)
  call ga_initialize()
  me = ga_nodeid()
  nproc = ga_nnodes()
  wrong = 0
  ok = ma_init(MT_DBL, 1000000, 1000000)
  ok = ok .and. ga_create(MT_DBL, n, n, 'a', 0, 0, g_a)
  ok = ok .and. ga_duplicate(g_a, g_b, 'b')
  ok = ok .and. ga_duplicate(g_a, g_c, 'c')
  ok = ok .and. ga_create(MT_INT, 1, 1, 'counter', 0, 0, g_counter)
  if (.not. ok) call ga_error('no arrays', 1)
  call ga_zero(g_a)
  call ga_zero(g_counter)

  ! Rows are drawn from a counter: each is written by one process.
  last = 0
  do
    drawn = ga_read_inc(g_counter, 1, 1, 1)
    if (drawn >= n) exit
    if (drawn < last) wrong = wrong + 1
    last = drawn
    row = drawn + 1
    do j = 1, n
      line(1, j) = row + 100 * j
    end do
    call ga_put(g_a, row, row, 1, n, line, 1)
  end do
  call ga_sync()
  call ga_get(g_a, 1, n, 1, n, a, n)
  do j = 1, n
    do i = 1, n
      if (a(i, j) /= i + 100 * j) wrong = wrong + 1
    end do
  end do
  call ga_sync()

  scale = 0.5d0
  call ga_acc(g_a, 1, n, 1, n, a, n, scale)
  call ga_sync()
  call ga_get(g_a, 1, n, 1, n, b, n)
  do j = 1, n
    do i = 1, n
      if (b(i, j) /= a(i, j) * (1 + 0.5d0 * nproc)) wrong = wrong + 1
    end do
  end do
  call ga_sync()

  ! Operations are the beginnings of what lies there: no zero ends them.
  call nga_select_elem(g_a, operations(1:3), chosen, at)
  if (chosen /= maxval(b) .or. any(at /= n)) wrong = wrong + 1
  call nga_select_elem(g_a, operations(4:6), chosen, at)
  if (chosen /= minval(b) .or. any(at /= 1)) wrong = wrong + 1
  chosen = 1
  call ga_dgop(2, chosen, 1, operations(7:7))
  if (chosen /= nproc) wrong = wrong + 1
  call ga_sync()

  call ga_transpose(g_a, g_b)
  call ga_dgemm('n', 'n', n, n, n, 1d0, g_a, g_b, 0d0, g_c)
  call ga_get(g_c, 1, n, 1, n, c, n)
  a = matmul(b, transpose(b))
  do j = 1, n
    do i = 1, n
      if (abs(c(i, j) - a(i, j)) > 1d-9 * abs(a(i, j))) wrong = wrong + 1
    end do
  end do

  call ga_igop(1, wrong, 1, '+')
  if (me == 0 .and. wrong == 0) print '(a)', 'everything is right'
  if (me == 0 .and. wrong /= 0) print *, wrong, ' things are wrong'
  call ga_terminate()
  call mpi_finalize(error)
  if (wrong /= 0) stop 1
end program
