! Coarrays between two images: the time of one operation in nanoseconds, beside that of the same loop in one image's own
! memory. Compiled with another library for coarrays it measures that one. With -DBESIDE scalars stand beside the
! same calls to functions that do nothing, and collectives beside Armature's own (beside.cpp). The first image prints a line
! for each operation: the least of many short rounds, so that other work on the machine counts less.
program caf_bench
  use iso_fortran_env, only: int64, real64
  use iso_c_binding, only: c_int
  implicit none
  interface
    subroutine put_scalars(word, image, count)
      use iso_fortran_env, only: real64
      real(real64), intent(inout) :: word[*]
      integer, intent(in) :: image, count
    end subroutine
    subroutine get_scalars(word, image, count, sum)
      use iso_fortran_env, only: real64
      real(real64), intent(inout) :: word[*]
      integer, intent(in) :: image, count
      real(real64), intent(inout) :: sum
    end subroutine
#ifdef BESIDE
    subroutine put_scalars_empty(word, image, count)
      use iso_fortran_env, only: real64
      real(real64), intent(inout) :: word[*]
      integer, intent(in) :: image, count
    end subroutine
    subroutine get_scalars_empty(word, image, count, sum)
      use iso_fortran_env, only: real64
      real(real64), intent(inout) :: word[*]
      integer, intent(in) :: image, count
      real(real64), intent(inout) :: sum
    end subroutine
    subroutine own_barrier() bind(c)
    end subroutine
    subroutine own_sum(values, count) bind(c)
      use iso_c_binding, only: c_double, c_int
      real(c_double), intent(inout) :: values(*)
      integer(c_int), value :: count
    end subroutine
#endif
  end interface
  integer, parameter :: mebi = 131072  ! reals in 1 MiB
  real(real64), save :: word[*]
  real(real64), allocatable :: row(:)[:], wide(:)[:]
  real(real64), allocatable :: here(:), there(:)
  real(real64) :: value, many(1000000)
  integer :: me, other, i, k, length, step
  me = this_image()
  other = 3 - me
  allocate (row(mebi)[*], wide(4*mebi)[*], here(mebi), there(4*mebi))
  row = me; wide = me; here = 0; there = 0; word = me; value = 0; many = 1
  length = mebi; step = 4
  sync all
  if (me == 1) then
    call show('get.scalar', timed(1), empty_ns(2))
    call show('put.scalar', timed(3), empty_ns(4))
    call show('get.1MiB', timed(5), timed(6))
    call show('put.1MiB', timed(7), timed(8))
    call show('get.1MiB.strided', timed(9), timed(10))
    call show('put.1MiB.strided', timed(11), timed(12))
  end if
  sync all
  call together('sync all', 1, 500)
  call together('sync images', 2, 500)
  call together('co_sum.1', 3, 500)
  call together('co_sum.1000000', 4, 1)
  if (value < -1) print *, here(1), there(1)
contains
  real(real64) function empty_ns(what)
    integer, intent(in) :: what
    empty_ns = 0
#ifdef BESIDE
    empty_ns = timed(what)
#endif
  end function
  real(real64) function timed(what)
    integer, intent(in) :: what
    integer(int64) :: row_begin, begin, end, rate
    integer :: round, count
    count = merge(1000, 5, what <= 4)
    timed = huge(timed)
    call system_clock(row_begin)
    do round = 1, merge(2000, 60, what <= 4)
      call system_clock(begin, rate)
      select case (what)
      case (1)
        call get_scalars(word, other, count, value)
      case (3)
        call put_scalars(word, other, count)
#ifdef BESIDE
      case (2)
        call get_scalars_empty(word, other, count, value)
      case (4)
        call put_scalars_empty(word, other, count)
#endif
      case default
        do i = 1, count
          call act(what)
        end do
      end select
      call system_clock(end)
      timed = min(timed, real(end - begin, real64)/rate*1d9/count)
      if (end - row_begin > rate) exit
    end do
  end function
  subroutine act(what)
    integer, intent(in) :: what
    select case (what)
    case (5); here(1:length) = row(1:length)[other]
    case (6); here(1:length) = there(1:length)
    case (7); row(1:length)[other] = here(1:length)
    case (8); there(1:length) = here(1:length)
    case (9); here(1:length) = wide(1:step*length:step)[other]
    case (10); here(1:length) = there(1:step*length:step)
    case (11); wide(1:step*length:step)[other] = here(1:length)
    case (12); there(1:step*length:step) = here(1:length)
    end select
  end subroutine
  subroutine together(name, what, count)
    character(*), intent(in) :: name
    integer, intent(in) :: what, count
    integer(int64) :: begin, end, rate
    real(real64) :: best, own, one(1)
    integer :: round
    one = 0
    best = huge(best)
    own = huge(own)
    do round = 1, 60
      sync all
      call system_clock(begin, rate)
      do k = 1, count
        select case (what)
        case (1)
          sync all
        case (2)
          sync images (other)
        case (3)
          call co_sum(value)
          value = 0
        case (4)
          call co_sum(many)
          many(1) = 1
        end select
      end do
      call system_clock(end)
      best = min(best, real(end - begin, real64)/rate*1d9/count)
#ifdef BESIDE
      sync all
      call system_clock(begin, rate)
      do k = 1, count
        select case (what)
        case (1)
          call own_barrier()
        case (3)
          call own_sum(one, 1_c_int)
          one = 0
        case (4)
          call own_sum(many, size(many, kind=c_int))
          many(1) = 1
        end select
      end do
      call system_clock(end)
      own = min(own, real(end - begin, real64)/rate*1d9/count)
#endif
    end do
    if (what == 2 .or. own > 1d18) own = 0
    if (me == 1) call show(name, best, own)
  end subroutine
  subroutine show(name, ns, by_hand_ns)
    character(*), intent(in) :: name
    real(real64), intent(in) :: ns, by_hand_ns
    if (by_hand_ns > 0) then
      print '(a20, f14.1, f14.1, f8.2)', name, ns, by_hand_ns, ns/by_hand_ns
    else
      print '(a20, f14.1)', name, ns
    end if
  end subroutine
end program
